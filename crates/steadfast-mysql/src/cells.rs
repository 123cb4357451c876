//! Reading the columns of a row, whatever protocol and driver brought it.

use crate::fault::{Fallible, Fault};
use mysql_async::prelude::FromRow;
use mysql_async::{FromRowError, Row, Value};
use steadfast_core::{TaskId, Time, WorkerId};
use uuid::Uuid;

/// The columns of a row by their place.
pub(crate) struct Cells(pub(crate) Vec<Value>);

impl Cells {
    fn cell(&self, at: usize) -> &Value {
        self.0.get(at).unwrap_or(&Value::NULL)
    }

    pub(crate) fn int_or_none(&self, at: usize) -> Fallible<Option<i64>> {
        let unreadable = || Fault::unreadable("number");
        match self.cell(at) {
            Value::NULL => Ok(None),
            Value::Int(n) => Ok(Some(*n)),
            Value::UInt(n) => i64::try_from(*n).map(Some).map_err(|_| unreadable()),
            Value::Bytes(text) => {
                let text = std::str::from_utf8(text).map_err(|_| unreadable())?;
                text.parse().map(Some).map_err(|_| unreadable())
            }
            _ => Err(unreadable()),
        }
    }

    pub(crate) fn int(&self, at: usize) -> Fallible<i64> {
        self.int_or_none(at)?.ok_or_else(|| Fault::unreadable("number"))
    }

    pub(crate) fn flag(&self, at: usize) -> Fallible<bool> {
        Ok(self.int(at)? != 0)
    }

    /// A count that was kept.
    pub(crate) fn count(&self, at: usize) -> Fallible<u32> {
        Ok(u32::try_from(self.int(at)?).unwrap_or(0))
    }

    pub(crate) fn time(&self, at: usize) -> Fallible<Time> {
        self.int(at).map(Time::from_micros)
    }

    pub(crate) fn bytes_or_none(&self, at: usize) -> Fallible<Option<&[u8]>> {
        match self.cell(at) {
            Value::NULL => Ok(None),
            Value::Bytes(bytes) => Ok(Some(bytes)),
            _ => Err(Fault::unreadable("text")),
        }
    }

    pub(crate) fn text_or_none(&self, at: usize) -> Fallible<Option<&str>> {
        let read = |bytes| std::str::from_utf8(bytes).map_err(|_| Fault::unreadable("text"));
        self.bytes_or_none(at)?.map(read).transpose()
    }

    pub(crate) fn text(&self, at: usize) -> Fallible<&str> {
        self.text_or_none(at)?.ok_or_else(|| Fault::unreadable("text"))
    }

    pub(crate) fn owned_or_none(&self, at: usize) -> Fallible<Option<String>> {
        Ok(self.text_or_none(at)?.map(str::to_owned))
    }

    pub(crate) fn uuid_or_none(&self, at: usize) -> Fallible<Option<Uuid>> {
        let read = |bytes| Uuid::from_slice(bytes).map_err(|_| Fault::unreadable("id"));
        self.bytes_or_none(at)?.map(read).transpose()
    }

    pub(crate) fn uuid(&self, at: usize) -> Fallible<Uuid> {
        self.uuid_or_none(at)?.ok_or_else(|| Fault::unreadable("id"))
    }

    pub(crate) fn task_id(&self, at: usize) -> Fallible<TaskId> {
        self.uuid(at).map(TaskId::from_uuid)
    }

    pub(crate) fn worker_id(&self, at: usize) -> Fallible<WorkerId> {
        self.uuid(at).map(WorkerId::from_uuid)
    }
}

impl FromRow for Cells {
    fn from_row_opt(row: Row) -> Result<Self, FromRowError> {
        Ok(Self(row.unwrap()))
    }
}

/// The first row of an answer that always has one.
pub(crate) fn only(rows: &[Cells]) -> Fallible<&Cells> {
    rows.first().ok_or_else(|| Fault::unreadable("nothing"))
}
