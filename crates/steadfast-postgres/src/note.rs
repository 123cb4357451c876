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
    /// From the columns bucket, kind, priority, suspect, `due_at`, of which this is the first.
    pub(crate) fn read(row: &Row, first: usize, names: &mut Names) -> Fallible<Self> {
        Ok(Self {
            bucket: names.bucket(row.try_get(first)?)?,
            kind: names.kind(row.try_get(first + 1)?)?,
            priority: row::priority(row.try_get(first + 2)?)?,
            lane: lane(row.try_get(first + 3)?),
            due_at: Time::from_micros(row.try_get(first + 4)?),
        })
    }
}

pub(crate) fn lane(suspect: bool) -> Lane {
    if suspect { Lane::Suspect } else { Lane::Plain }
}
