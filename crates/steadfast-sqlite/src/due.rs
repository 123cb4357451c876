//! What was waiting and has come due.

use crate::db::Db;
use crate::fault::Fallible;
use crate::note::Mover;
use crate::row::Names;
use rusqlite::params;
use std::time::Duration;
use steadfast_core::seam::Due;
use steadfast_core::{Notes, Time};

const LIST: &str = include_str!("../sql/due_list.sql");
const MOVE: &str = include_str!("../sql/due_move.sql");
const NEXT: &str = include_str!("../sql/due_next.sql");

/// Makes up to `n_max` waiting tasks ready whose time has come.
pub(crate) fn due(db: &Db<'_>, n_max: usize) -> Fallible<Due> {
    let mut names = Names::default();
    let n_max = i64::try_from(n_max).unwrap_or(i64::MAX);
    let came = db.all(LIST, [db.now.micros(), n_max], |row| Mover::read(row, &mut names))?;
    let mut notes = Notes::default();
    let mut statement = db.prepare(MOVE)?;
    for task in came {
        statement.execute(params![task.seq, db.now.micros()])?;
        // The claim's order is when it was due, not when a sweep noticed.
        notes.add(&task.bucket, task.kind, task.priority, task.due_at, task.lane);
    }
    Ok(Due { notes: notes.by_bucket(), next_in: next_in(db)?, ..Due::default() })
}

/// How long until the next waiting task is due.
pub(crate) fn next_in(db: &Db<'_>) -> Fallible<Option<Duration>> {
    db.first(NEXT, [], |row| Ok(Time::from_micros(row.get(0)?).since(db.now)))
}
