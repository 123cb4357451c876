//! What a sweep says of the tasks that it makes ready.

use crate::fault::Fallible;
use crate::row::{self, Names};
use steadfast_core::{Bucket, Kind, Lane, Priority, Time};
use tokio_postgres::Row;

/// What a sweep says of a task that it moved.
pub(crate) struct Moved {
    pub(crate) bucket: Bucket,
    pub(crate) kind: Kind,
    pub(crate) priority: Priority,
    pub(crate) lane: Lane,
    pub(crate) due_at: Time,
}

impl Moved {
    /// From the columns bucket, kind, priority, suspect, `due_at`.
    pub(crate) fn read(row: &Row, names: &mut Names) -> Fallible<Self> {
        Ok(Self {
            bucket: names.bucket(row.try_get(0)?)?,
            kind: names.kind(row.try_get(1)?)?,
            priority: row::priority(row.try_get(2)?)?,
            lane: lane(row.try_get(3)?),
            due_at: Time::from_micros(row.try_get(4)?),
        })
    }
}

pub(crate) fn lane(suspect: bool) -> Lane {
    if suspect { Lane::Suspect } else { Lane::Plain }
}
