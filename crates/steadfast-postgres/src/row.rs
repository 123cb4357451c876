//! A task as a row: how it is read, written back, and how it ends.
//!
//! All statements that read whole tasks name the columns in the one order that [`read`] knows.

use crate::columns::{column, count, uncount};
use crate::db::Db;
use crate::fault::{Fallible, Fault};
use crate::sql::Sql;
use crate::transaction::Tx;
use std::collections::BTreeMap;
use steadfast_core::{
    Bucket, Errors, Format, Grant, Key, KeySpace, Kind, Payload, Priority, Retention, Status, Task, TaskId,
    Time, Version, WorkerId,
};
use tokio_postgres::types::Type;
use uuid::Uuid;

const WRITE: Sql = Sql {
    name: "write",
    text: include_str!("../sql/write.sql"),
    types: &[
        Type::UUID_ARRAY,
        Type::TEXT_ARRAY,
        Type::TEXT_ARRAY,
        Type::INT2_ARRAY,
        Type::INT2_ARRAY,
        Type::INT8_ARRAY,
        Type::INT8_ARRAY,
        Type::INT8_ARRAY,
        Type::INT8_ARRAY,
        Type::INT8_ARRAY,
        Type::UUID_ARRAY,
        Type::INT8_ARRAY,
        Type::INT4_ARRAY,
        Type::INT4_ARRAY,
        Type::INT4_ARRAY,
        Type::TEXT_ARRAY,
        Type::TEXT_ARRAY,
        Type::TEXT_ARRAY,
        Type::INT8_ARRAY,
        Type::INT8_ARRAY,
        Type::BYTEA_ARRAY,
    ],
};
const END: Sql =
    Sql { name: "end", text: include_str!("../sql/end.sql"), types: &[Type::UUID_ARRAY, Type::INT2_ARRAY] };

/// Where the columns of a task end and those of a statement's own begin.
pub(crate) const WIDTH: usize = 34;

/// The names seen last. Rows that follow each other mostly share them, and a shared name costs no memory.
#[derive(Default)]
pub(crate) struct Names {
    bucket: Option<Bucket>,
    kind: Option<Kind>,
}

/// Reads tasks.
pub(crate) fn read_all(rows: &[tokio_postgres::Row]) -> Fallible<Vec<Task>> {
    let mut names = Names::default();
    rows.iter().map(|row| read(row, &mut names)).collect()
}

/// Reads a task.
pub(crate) fn read(row: &tokio_postgres::Row, names: &mut Names) -> Fallible<Task> {
    let format = row.try_get::<_, i64>(31)?;
    let format = Format::from_code(format).ok_or_else(|| Fault::unreadable("format"))?;
    let payload: Option<&[u8]> = row.try_get(33)?;
    Ok(Task {
        seq: row.try_get(0)?,
        id: TaskId::from_uuid(row.try_get(1)?),
        bucket: names.bucket(row.try_get(2)?)?,
        kind: names.kind(row.try_get(3)?)?,
        subkind: row.try_get(4)?,
        step: row.try_get(5)?,
        status: status(row.try_get(6)?)?,
        priority: priority(row.try_get(7)?)?,
        due_at: Time::from_micros(row.try_get(8)?),
        ready_at: Time::from_micros(row.try_get(9)?),
        base_at: Time::from_micros(row.try_get(10)?),
        deadline_at: row.try_get::<_, Option<i64>>(11)?.map(Time::from_micros),
        grant: Grant::from_i64(row.try_get(12)?),
        worker: row.try_get::<_, Option<Uuid>>(13)?.map(WorkerId::from_uuid),
        version: Version::from_i64(row.try_get(14)?),
        attempt: uncount(row.try_get(15)?),
        failures: uncount(row.try_get(16)?),
        lost: uncount(row.try_get(17)?),
        key: key(row.try_get(18)?, row.try_get(19)?)?,
        serial: row.try_get(21)?,
        search1: row.try_get(22)?,
        search2: row.try_get(23)?,
        parent: row.try_get::<_, Option<Uuid>>(24)?.map(TaskId::from_uuid),
        context: context(row.try_get(25)?)?,
        progress: row.try_get(26)?,
        output: row.try_get(27)?,
        errors: row.try_get::<_, Option<&str>>(28)?.map_or_else(Errors::default, Errors::from_json),
        created_at: Time::from_micros(row.try_get(29)?),
        changed_at: Time::from_micros(row.try_get(30)?),
        payload_len: usize::try_from(row.try_get::<_, i32>(32)?).unwrap_or(0),
        payload: payload.map(|bytes| Payload { bytes: bytes.into(), format }),
    })
}

/// A task to be written back, with another payload if it got one.
pub(crate) struct Written {
    pub(crate) task: Task,
    pub(crate) payload: Option<Payload>,
}

/// Writes back tasks that were locked in this transaction.
pub(crate) async fn write(db: &Db<'_>, written: &[Written]) -> Fallible<()> {
    if written.is_empty() {
        return Ok(());
    }
    let bytes = |row: &Written| row.payload.as_ref().map(|payload| payload.bytes.to_vec());
    db.query(
        &WRITE,
        &[
            &column(written, |row| row.task.id.uuid()),
            &column(written, |row| row.task.kind.as_str().to_owned()),
            &column(written, |row| row.task.step.clone()),
            &column(written, |row| i16::from(row.task.status.code())),
            &column(written, |row| i16::from(row.task.priority.get())),
            &column(written, |row| row.task.due_at.micros()),
            &column(written, |row| row.task.ready_at.micros()),
            &column(written, |row| row.task.base_at.micros()),
            &column(written, |row| row.task.deadline_at.map(Time::micros)),
            &column(written, |row| row.task.grant.get()),
            &column(written, |row| row.task.worker.map(|worker| worker.uuid())),
            &column(written, |row| row.task.version.get()),
            &column(written, |row| count(row.task.attempt)),
            &column(written, |row| count(row.task.failures)),
            &column(written, |row| count(row.task.lost)),
            &column(written, |row| row.task.progress.clone()),
            &column(written, |row| row.task.output.clone()),
            &column(written, |row| row.task.errors.to_json()),
            &column(written, |row| row.task.changed_at.micros()),
            &column(written, |row| row.payload.as_ref().map(|payload| payload.format.code())),
            &column(written, bytes),
        ],
    )
    .await?;
    Ok(())
}

/// Takes tasks that were written back as final out of the living ones.
pub(crate) async fn end(tx: &mut Tx, ended: &[(TaskId, Retention)]) -> Fallible<()> {
    if !ended.is_empty() {
        let ids = column(ended, |(id, _)| id.uuid());
        let retentions = column(ended, |(_, retention)| retention_code(*retention));
        tx.query(&END, &[&ids, &retentions]).await?;
    }
    Ok(())
}

/// How much is kept, as the statements know it.
pub(crate) fn retention_code(retention: Retention) -> i16 {
    match retention {
        Retention::History => 0,
        Retention::Bare => 1,
        Retention::Delete => 2,
    }
}

pub(crate) fn status(code: i16) -> Fallible<Status> {
    Status::from_code(code.into()).ok_or_else(|| Fault::unreadable("status"))
}

pub(crate) fn priority(code: i16) -> Fallible<Priority> {
    Priority::new(code.into()).map_err(|_| Fault::unreadable("priority"))
}

/// A task's context as it is kept; none when there is none.
pub(crate) fn context_json(context: &BTreeMap<String, String>) -> Option<String> {
    // Strings always have a JSON form.
    (!context.is_empty()).then(|| serde_json::to_string(context).unwrap_or_default())
}

pub(crate) fn context(json: Option<&str>) -> Fallible<BTreeMap<String, String>> {
    json.map_or_else(
        || Ok(BTreeMap::new()),
        |json| serde_json::from_str(json).map_err(|_| Fault::unreadable("context")),
    )
}

/// A key from its two columns.
pub(crate) fn key_at(row: &tokio_postgres::Row, at: usize) -> Fallible<Key> {
    key(row.try_get(at)?, row.try_get(at + 1)?)?.ok_or_else(|| Fault::unreadable("key"))
}

pub(crate) fn key(space: Option<i16>, name: Option<String>) -> Fallible<Option<Key>> {
    let (Some(space), Some(name)) = (space, name) else { return Ok(None) };
    let space = KeySpace::from_code(space.into()).ok_or_else(|| Fault::unreadable("key"))?;
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
