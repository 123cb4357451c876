//! A task as a row: how it is read and written back.
//!
//! All statements that read whole tasks name the columns in the one order that [`read`] knows.

use crate::cells::Cells;
use crate::columns::{hex, hex_id, id, list};
use crate::db::Db;
use crate::fault::{Fallible, Fault};
use crate::sql::{Sql, params};
use serde_json::json;
use std::collections::BTreeMap;
use steadfast_core::{
    Bucket, Errors, Format, Grant, Key, KeySpace, Kind, Payload, Priority, Status, Task, TaskId, Time,
    Version, WorkerId,
};

const WRITE: Sql = Sql(include_str!("../sql/write.sql"));
const WRITE_PAYLOAD: Sql = Sql(include_str!("../sql/write_payload.sql"));

/// Where the columns of a task end and those of a statement's own begin.
pub(crate) const WIDTH: usize = 34;

/// The names seen last. Rows that follow each other mostly share them, and a shared name costs no memory.
#[derive(Default)]
pub(crate) struct Names {
    bucket: Option<Bucket>,
    kind: Option<Kind>,
}

/// Reads tasks.
pub(crate) fn read_all(rows: &[Cells]) -> Fallible<Vec<Task>> {
    let mut names = Names::default();
    rows.iter().map(|row| read(row, &mut names)).collect()
}

/// Reads a task.
pub(crate) fn read(row: &Cells, names: &mut Names) -> Fallible<Task> {
    let format = Format::from_code(row.int(31)?).ok_or_else(|| Fault::unreadable("format"))?;
    Ok(Task {
        seq: row.int(0)?,
        id: row.task_id(1)?,
        bucket: names.bucket(row.text(2)?)?,
        kind: names.kind(row.text(3)?)?,
        subkind: row.owned_or_none(4)?,
        step: row.owned_or_none(5)?,
        status: status(row.int(6)?)?,
        priority: priority(row.int(7)?)?,
        due_at: row.time(8)?,
        ready_at: row.time(9)?,
        base_at: row.time(10)?,
        deadline_at: row.int_or_none(11)?.map(Time::from_micros),
        grant: Grant::from_i64(row.int(12)?),
        worker: row.uuid_or_none(13)?.map(WorkerId::from_uuid),
        version: Version::from_i64(row.int(14)?),
        attempt: row.count(15)?,
        failures: row.count(16)?,
        lost: row.count(17)?,
        key: key_or_none(row, 18)?,
        serial: row.owned_or_none(21)?,
        search1: row.owned_or_none(22)?,
        search2: row.owned_or_none(23)?,
        parent: row.uuid_or_none(24)?.map(TaskId::from_uuid),
        context: context(row.text_or_none(25)?)?,
        progress: row.owned_or_none(26)?,
        output: row.owned_or_none(27)?,
        errors: row.text_or_none(28)?.map_or_else(Errors::default, Errors::from_json),
        created_at: row.time(29)?,
        changed_at: row.time(30)?,
        payload_len: usize::try_from(row.int(32)?).unwrap_or(0),
        payload: row.bytes_or_none(33)?.map(|bytes| Payload { bytes: bytes.into(), format }),
    })
}

/// A task to be written back, with another payload if it got one.
pub(crate) struct Written {
    pub(crate) task: Task,
    pub(crate) payload: Option<Payload>,
}

/// Writes back tasks that were locked in this transaction.
pub(crate) async fn write(db: &mut Db<'_>, written: &[Written]) -> Fallible<()> {
    if written.is_empty() {
        return Ok(());
    }
    let row = |Written { task, .. }: &Written| {
        json!([
            hex_id(task.id.uuid()),
            hex(task.kind.as_str()),
            task.step.as_ref().map(hex),
            task.status.code(),
            task.priority.get(),
            task.due_at.micros(),
            task.ready_at.micros(),
            task.base_at.micros(),
            task.deadline_at.map(Time::micros),
            task.grant.get(),
            task.worker.map(|worker| hex_id(worker.uuid())),
            task.version.get(),
            task.attempt,
            task.failures,
            task.lost,
            task.progress.as_ref().map(hex),
            task.output.as_ref().map(hex),
            task.errors.to_json().map(hex),
            task.changed_at.micros(),
        ])
    };
    db.execute(&WRITE, params![list(written, row)]).await?;
    for Written { task, payload } in written {
        if let Some(payload) = payload {
            write_payload(db, task.id, payload).await?;
        }
    }
    Ok(())
}

/// Gives a task another payload that was locked in this transaction.
pub(crate) async fn write_payload(db: &mut Db<'_>, task: TaskId, payload: &Payload) -> Fallible<()> {
    db.setting.check_payload(payload)?;
    let len = i64::try_from(payload.len()).unwrap_or(i64::MAX);
    let given = params![payload.format.code(), len, payload.bytes.to_vec(), id(task.uuid())];
    db.execute(&WRITE_PAYLOAD, given).await?;
    Ok(())
}

pub(crate) fn status(code: i64) -> Fallible<Status> {
    Status::from_code(code).ok_or_else(|| Fault::unreadable("status"))
}

pub(crate) fn priority(code: i64) -> Fallible<Priority> {
    Priority::new(code).map_err(|_| Fault::unreadable("priority"))
}

/// A task's context as it is kept; none when there is none.
pub(crate) fn context_json(context: &BTreeMap<String, String>) -> Option<String> {
    // Strings always have a JSON form.
    (!context.is_empty()).then(|| serde_json::to_string(context).unwrap_or_default())
}

fn context(json: Option<&str>) -> Fallible<BTreeMap<String, String>> {
    json.map_or_else(
        || Ok(BTreeMap::new()),
        |json| serde_json::from_str(json).map_err(|_| Fault::unreadable("context")),
    )
}

/// A key from its two columns.
pub(crate) fn key_or_none(row: &Cells, at: usize) -> Fallible<Option<Key>> {
    let (Some(space), Some(name)) = (row.int_or_none(at)?, row.owned_or_none(at + 1)?) else {
        return Ok(None);
    };
    let space = KeySpace::from_code(space).ok_or_else(|| Fault::unreadable("key"))?;
    Ok(Some(Key { space, name }))
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
