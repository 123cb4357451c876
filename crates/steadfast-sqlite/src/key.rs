//! Keys: names that at most one task has, also for a while after it ended.

use crate::db::Db;
use crate::fault::Fallible;
use crate::row::Row;
use rusqlite::params;
use steadfast_core::{Key, TaskId};
use uuid::Uuid;

const TAKE: &str = include_str!("../sql/key_take.sql");
const GET: &str = include_str!("../sql/key_get.sql");
const END: &str = include_str!("../sql/key_end.sql");

/// Makes a key name a task, unless it names another: then says which.
pub(crate) fn take(db: &Db<'_>, key: &Key, id: TaskId) -> Fallible<Option<TaskId>> {
    let taken = params![key.space.code(), key.name, id.uuid().into_bytes(), db.now.micros()];
    if db.execute(TAKE, taken)? > 0 { Ok(None) } else { named(db, key) }
}

/// Which task a key names. One past its window names nobody, cleaned or not.
pub(crate) fn named(db: &Db<'_>, key: &Key) -> Fallible<Option<TaskId>> {
    db.first(GET, params![key.space.code(), key.name, db.now.micros()], |row| {
        Ok(TaskId::from_uuid(Uuid::from_bytes(row.get(0)?)))
    })
}

/// Starts the window of the key of a task that ended, if it has one.
pub(crate) fn end(db: &Db<'_>, row: &Row) -> Fallible<()> {
    if let Some(key) = &row.task.key {
        let keep_until = db.now.after(row.key_window).micros();
        db.execute(END, params![key.space.code(), key.name, row.task.id.uuid().into_bytes(), keep_until])?;
    }
    Ok(())
}
