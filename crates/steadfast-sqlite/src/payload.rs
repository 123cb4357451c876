//! Payloads: in the row while they are small, beside it when they are not.

use crate::db::Db;
use crate::fault::Fallible;
use crate::row::{self, Row, is_large};
use rusqlite::params;
use steadfast_core::{Payload, Task, TaskId};

const PUT: &str = include_str!("../sql/payload_put.sql");
const GET: &str = include_str!("../sql/payload_get.sql");
const REMOVE: &str = include_str!("../sql/payload_remove.sql");
const WRITE: &str = include_str!("../sql/write_payload.sql");

/// How a payload stands in its row: its length where it lies beside, its bytes where it does not.
pub(crate) fn columns(payload: &Payload) -> (Option<i64>, Option<&[u8]>) {
    if is_large(payload.len()) {
        (Some(i64::try_from(payload.len()).unwrap_or(i64::MAX)), None)
    } else {
        (None, Some(&payload.bytes))
    }
}

/// Keeps a payload beside its row if it is large.
pub(crate) fn put(db: &Db<'_>, id: TaskId, payload: &Payload) -> Fallible<()> {
    if is_large(payload.len()) {
        db.execute(PUT, params![id.uuid().into_bytes(), &*payload.bytes])?;
    }
    Ok(())
}

/// Gives a living task another payload, in place of one of `old_len` bytes.
pub(crate) fn replace(db: &Db<'_>, task: &Task, old_len: usize, payload: &Payload) -> Fallible<()> {
    if is_large(old_len) && !is_large(payload.len()) {
        remove(db, task.id)?;
    }
    let (len, bytes) = columns(payload);
    db.execute(WRITE, params![task.seq, payload.format.code(), len, bytes])?;
    put(db, task.id, payload)
}

/// Drops a payload that lies beside its row.
pub(crate) fn remove(db: &Db<'_>, id: TaskId) -> Fallible<()> {
    db.execute(REMOVE, [id.uuid().into_bytes()])?;
    Ok(())
}

/// The payload of a living task.
pub(crate) fn get(db: &Db<'_>, id: TaskId) -> Fallible<Option<Payload>> {
    match row::live(db, id)? {
        Some(row) => Ok(complete(db, row)?.task.payload),
        None => Ok(None),
    }
}

/// A task, living or ended, with its payload.
pub(crate) fn whole(db: &Db<'_>, id: TaskId) -> Fallible<Option<Task>> {
    let row = match row::live(db, id)? {
        Some(row) => Some(row),
        None => row::ended(db, id)?,
    };
    row.map(|row| Ok(complete(db, row)?.task)).transpose()
}

/// Reads what lies beside the row, if it was kept.
pub(crate) fn complete(db: &Db<'_>, mut row: Row) -> Fallible<Row> {
    if row.task.payload.is_none() && is_large(row.task.payload_len) {
        let format = row.format;
        let read = |found: &rusqlite::Row<'_>| {
            let bytes: Vec<u8> = found.get(0)?;
            Ok(Payload { bytes: bytes.into(), format })
        };
        row.task.payload = db.first(GET, [row.task.id.uuid().into_bytes()], read)?;
    }
    Ok(row)
}
