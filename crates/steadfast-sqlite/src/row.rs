//! A task as a row: how it is read and how it is written.
//!
//! All statements that read whole tasks name the columns in the one order that [`read`] knows.

use crate::db::Db;
use crate::extra::Extra;
use crate::fault::{Fallible, Fault};
use rusqlite::params;
use rusqlite::types::ValueRef;
use std::time::Duration;
use steadfast_core::limit::PAYLOAD_INLINE_BYTES_MAX;
use steadfast_core::{
    Bucket, Errors, Format, Grant, Kind, Payload, Priority, Status, Task, TaskId, Time, Version, WorkerId,
};
use uuid::Uuid;

const GET_LIVE: &str = include_str!("../sql/get_live.sql");
const GET_HISTORY: &str = include_str!("../sql/get_history.sql");
const WRITE: &str = include_str!("../sql/write.sql");

/// A task, living or ended, with what the record does not say of it.
pub(crate) struct Row {
    pub(crate) task: Task,
    /// How long its key outlives it.
    pub(crate) key_window: Duration,
    /// How to read its payload, also where that was not read.
    pub(crate) format: Format,
}

/// The names seen last. Rows that follow each other mostly share them, and a shared name costs no memory.
#[derive(Default)]
pub(crate) struct Names {
    bucket: Option<Bucket>,
    kind: Option<Kind>,
}

/// A living task with its payload, unless that is large.
pub(crate) fn live(db: &Db<'_>, id: TaskId) -> Fallible<Option<Row>> {
    db.first(GET_LIVE, [id.uuid().into_bytes()], |row| read(row, &mut Names::default()))
}

/// An ended task with its payload, unless that is large.
pub(crate) fn ended(db: &Db<'_>, id: TaskId) -> Fallible<Option<Row>> {
    db.first(GET_HISTORY, [id.uuid().into_bytes()], |row| read(row, &mut Names::default()))
}

/// Writes back a task that was read in this transaction, but for its payload.
pub(crate) fn write(db: &Db<'_>, task: &Task) -> Fallible<()> {
    db.execute(
        WRITE,
        params![
            task.seq,
            task.kind.as_str(),
            task.status.code(),
            task.priority.get(),
            task.due_at.micros(),
            task.ready_at.micros(),
            task.base_at.micros(),
            task.deadline_at.map(Time::micros),
            task.grant.get(),
            task.worker.map(|worker| worker.uuid().into_bytes()),
            task.version.get(),
            task.attempt,
            task.failures,
            task.lost,
            task.changed_at.micros(),
            task.step,
            task.progress,
            task.output,
            task.errors.to_json(),
        ],
    )?;
    Ok(())
}

/// Reads a task.
pub(crate) fn read(row: &rusqlite::Row<'_>, names: &mut Names) -> Fallible<Row> {
    let format = Format::from_code(row.get(24)?).ok_or_else(|| Fault::unreadable("format"))?;
    let payload = match row.get_ref(26)? {
        ValueRef::Blob(bytes) => Some(Payload { bytes: bytes.into(), format }),
        _ => None,
    };
    let payload_len: Option<i64> = row.get(25)?;
    let inline_len = payload.as_ref().map_or(0, Payload::len);
    let extra = Extra::read(text_or_null(row, 23)?)?;
    let key_window = extra.window();
    let task = Task {
        id: TaskId::from_uuid(Uuid::from_bytes(row.get(1)?)),
        seq: row.get(0)?,
        bucket: names.bucket(text(row, 2)?)?,
        kind: names.kind(text(row, 3)?)?,
        subkind: extra.subkind,
        step: row.get(18)?,
        status: Status::from_code(row.get(4)?).ok_or_else(|| Fault::unreadable("status"))?,
        priority: Priority::new(row.get(5)?).map_err(|_| Fault::unreadable("priority"))?,
        due_at: Time::from_micros(row.get(6)?),
        ready_at: Time::from_micros(row.get(7)?),
        base_at: Time::from_micros(row.get(8)?),
        deadline_at: row.get::<_, Option<i64>>(9)?.map(Time::from_micros),
        grant: Grant::from_i64(row.get(10)?),
        worker: row.get::<_, Option<[u8; 16]>>(11)?.map(|id| WorkerId::from_uuid(Uuid::from_bytes(id))),
        version: Version::from_i64(row.get(12)?),
        attempt: row.get(13)?,
        failures: row.get(14)?,
        lost: row.get(15)?,
        key: extra.key,
        serial: row.get(19)?,
        search1: extra.search1,
        search2: extra.search2,
        parent: extra.parent,
        context: extra.context,
        payload,
        payload_len: payload_len.map_or(inline_len, |len| usize::try_from(len).unwrap_or(0)),
        progress: row.get(20)?,
        output: row.get(21)?,
        errors: text_or_null(row, 22)?.map_or_else(Errors::default, Errors::from_json),
        created_at: Time::from_micros(row.get(16)?),
        changed_at: Time::from_micros(row.get(17)?),
    };
    Ok(Row { task, key_window, format })
}

/// Whether a task's payload is kept beside its row, if it is kept.
pub(crate) fn is_large(payload_len: usize) -> bool {
    payload_len > PAYLOAD_INLINE_BYTES_MAX
}

/// A text column that is never null.
pub(crate) fn text<'a>(row: &'a rusqlite::Row<'_>, column: usize) -> Fallible<&'a str> {
    row.get_ref(column)?.as_str().map_err(|_| Fault::unreadable("name"))
}

impl Names {
    pub(crate) fn bucket(&mut self, name: &str) -> Fallible<Bucket> {
        if let Some(bucket) = self.bucket.as_ref().filter(|bucket| bucket.as_str() == name) {
            return Ok(bucket.clone());
        }
        let bucket = Bucket::new(name)?;
        Ok(self.bucket.insert(bucket).clone())
    }

    pub(crate) fn kind(&mut self, name: &str) -> Fallible<Kind> {
        if let Some(kind) = self.kind.as_ref().filter(|kind| kind.as_str() == name) {
            return Ok(kind.clone());
        }
        let kind = Kind::new(name)?;
        Ok(self.kind.insert(kind).clone())
    }
}

fn text_or_null<'a>(row: &'a rusqlite::Row<'_>, column: usize) -> Fallible<Option<&'a str>> {
    row.get_ref(column)?.as_str_or_null().map_err(|_| Fault::unreadable("text"))
}
