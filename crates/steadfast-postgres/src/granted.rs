//! A task as a grab returns it: what its worker asked for is not sent back to it.

use crate::bare::is_bare;
use crate::columns::{uncount, unrows};
use crate::fault::{Fallible, Fault};
use crate::place::Place;
use crate::row;
use std::error::Error;
use std::time::Duration;
use steadfast_core::seam::Grab;
use steadfast_core::{
    Demand, Errors, Fence, Format, Grant, Payload, Places, Status, Task, TaskId, Time, Version,
};
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, Type, accepts};
use uuid::Uuid;

/// Reads what a grab returned, in the order of its demands, and remembers where the rows lie.
pub(crate) fn read_all<'a>(
    places: &Places<Place>,
    grab: &Grab,
    demands: &[(Demand, Duration)],
    rows: impl IntoIterator<Item = &'a Row>,
) -> Fallible<Vec<Task>> {
    let rows = rows.into_iter();
    // A task is large: none should be moved again because the list of them grows.
    let mut tasks: Vec<(i64, Task)> = Vec::with_capacity(rows.size_hint().0);
    let mut found: Vec<(Fence, Place)> = Vec::with_capacity(rows.size_hint().0);
    for row in rows {
        let n = row.try_get(0)?;
        // The server counts from one.
        let demand = demands.get(unrows(n).wrapping_sub(1));
        let (demand, deadline) = demand.ok_or_else(|| Fault::unreadable("demand"))?;
        let task = with_rare(read(row, grab, demand, *deadline)?, row.try_get(9)?)?;
        let place = Place {
            tid: row.try_get(1)?,
            bare: is_bare(task.key.as_ref(), task.parent, [&task.serial, &task.search1, &task.search2]),
        };
        let fence = Fence { task: task.id, grant: task.grant, worker: grab.worker };
        found.push((fence, place));
        tasks.push((n, task));
    }
    places.note(found);
    tasks.sort_by_key(|(n, task)| (*n, task.ready_at, task.seq));
    Ok(tasks.into_iter().map(|(_, task)| task).collect())
}

/// A task that was ready when it was added and runs for the first time.
fn read(row: &Row, grab: &Grab, demand: &Demand, deadline: Duration) -> Fallible<Task> {
    let format = Format::from_code(row.try_get(7)?).ok_or_else(|| Fault::unreadable("format"))?;
    let payload: Option<&[u8]> = row.try_get(8)?;
    let ready_at = Time::from_micros(row.try_get(4)?);
    let granted = row.try_get(5)?;
    let changed_at = Time::from_micros(row.try_get(6)?);
    Ok(Task {
        seq: row.try_get(2)?,
        id: TaskId::from_uuid(row.try_get(3)?),
        bucket: grab.bucket.clone(),
        kind: demand.kind.clone(),
        status: Status::Running,
        priority: demand.priority,
        due_at: ready_at,
        ready_at,
        base_at: ready_at,
        deadline_at: Some(changed_at.after(deadline)),
        grant: Grant::from_i64(granted),
        worker: Some(grab.worker),
        version: Version::from_i64(granted),
        attempt: u32::try_from(granted).unwrap_or(u32::MAX),
        failures: 0,
        lost: 0,
        created_at: ready_at,
        changed_at,
        payload_len: payload.map_or(0, <[u8]>::len),
        payload: payload.map(|bytes| Payload { bytes: bytes.into(), format }),
        subkind: None,
        step: None,
        key: None,
        serial: None,
        search1: None,
        search2: None,
        parent: None,
        context: std::collections::BTreeMap::new(),
        progress: None,
        output: None,
        errors: Errors::default(),
    })
}

/// What is different of some tasks: the fields of a record, as they came.
struct Rare<'a>([Option<&'a [u8]>; 20]);

fn with_rare(task: Task, rare: Option<Rare<'_>>) -> Fallible<Task> {
    let Some(rare) = rare else { return Ok(task) };
    let time = |at| rare.need(at, &Type::INT8, "time").map(Time::from_micros);
    let counted = |at| rare.need(at, &Type::INT4, "count").map(uncount);
    let key_space = rare.get(10, &Type::INT2, "key")?;
    Ok(Task {
        due_at: time(0)?,
        base_at: time(1)?,
        created_at: time(2)?,
        version: Version::from_i64(rare.need(3, &Type::INT8, "version")?),
        attempt: counted(4)?,
        failures: counted(5)?,
        lost: counted(6)?,
        payload_len: usize::try_from(rare.need::<i32>(7, &Type::INT4, "payload")?).unwrap_or(0),
        subkind: rare.get(8, &Type::TEXT, "subkind")?,
        step: rare.get(9, &Type::TEXT, "step")?,
        key: row::key(key_space, rare.get(11, &Type::TEXT, "key")?)?,
        serial: rare.get(12, &Type::TEXT, "serial")?,
        search1: rare.get(13, &Type::TEXT, "search1")?,
        search2: rare.get(14, &Type::TEXT, "search2")?,
        parent: rare.get::<Uuid>(15, &Type::UUID, "parent")?.map(TaskId::from_uuid),
        context: row::context(rare.get(16, &Type::TEXT, "context")?)?,
        progress: rare.get(17, &Type::TEXT, "progress")?,
        output: rare.get(18, &Type::TEXT, "output")?,
        errors: rare.get::<&str>(19, &Type::TEXT, "errors")?.map_or_else(Errors::default, Errors::from_json),
        ..task
    })
}

impl<'a> Rare<'a> {
    fn get<T: FromSql<'a>>(&self, at: usize, of: &Type, what: &'static str) -> Fallible<Option<T>> {
        let read = |raw| T::from_sql(of, raw).map_err(|_| Fault::unreadable(what));
        self.0.get(at).copied().flatten().map(read).transpose()
    }

    /// One that every task has.
    fn need<T: FromSql<'a>>(&self, at: usize, of: &Type, what: &'static str) -> Fallible<T> {
        self.get(at, of, what)?.ok_or_else(|| Fault::unreadable(what))
    }
}

/// A record on the wire: how many fields, then for each its type, its length or -1, and its bytes.
impl<'a> FromSql<'a> for Rare<'a> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        let mut fields = [None; 20];
        let (n, mut rest) = int(raw)?;
        if usize::try_from(n)? != fields.len() {
            return Err("another number of fields".into());
        }
        for field in &mut fields {
            let (len, bytes) = int(rest.get(4..).unwrap_or_default())?;
            rest = bytes;
            if let Ok(len) = usize::try_from(len) {
                let (bytes, after) = rest.split_at_checked(len).ok_or("a field that is cut off")?;
                (*field, rest) = (Some(bytes), after);
            }
        }
        Ok(Self(fields))
    }

    accepts!(RECORD);
}

fn int(raw: &[u8]) -> Result<(i32, &[u8]), &'static str> {
    let (four, rest) = raw.split_first_chunk().ok_or("a record that is cut off")?;
    Ok((i32::from_be_bytes(*four), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(fields: &[Option<&str>]) -> Vec<u8> {
        let mut raw = i32::try_from(fields.len()).unwrap().to_be_bytes().to_vec();
        for field in fields {
            raw.extend(25_u32.to_be_bytes());
            let len = field.map_or(-1, |field| i32::try_from(field.len()).unwrap());
            raw.extend(len.to_be_bytes());
            raw.extend(field.unwrap_or_default().as_bytes());
        }
        raw
    }

    #[test]
    fn a_record_is_read_field_by_field_and_a_damaged_one_is_refused() {
        let mut fields = [None; 20];
        fields[1] = Some("two");
        fields[19] = Some("");
        let raw = record(&fields);
        let rare = Rare::from_sql(&Type::RECORD, &raw).unwrap();
        assert_eq!(rare.get::<&str>(1, &Type::TEXT, "step").unwrap(), Some("two"));
        assert_eq!(rare.get::<&str>(0, &Type::TEXT, "subkind").unwrap(), None);
        assert_eq!(rare.get::<&str>(19, &Type::TEXT, "errors").unwrap(), Some(""));
        assert!(rare.get::<Uuid>(1, &Type::UUID, "parent").is_err());
        for cut in 0..raw.len() {
            assert!(Rare::from_sql(&Type::RECORD, &raw[..cut]).is_err(), "cut at {cut}");
        }
        assert!(Rare::from_sql(&Type::RECORD, &record(&fields[..19])).is_err());
    }
}
