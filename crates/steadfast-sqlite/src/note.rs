//! What a sweep says of the tasks that it makes ready.

use crate::fault::{Fallible, Fault};
use crate::row::{Names, text};
use steadfast_core::limit::SUSPECT_LOST;
use steadfast_core::{Bucket, Kind, Lane, Priority, Time};

/// What a sweep reads of a task that it is about to make ready.
pub(crate) struct Mover {
    pub(crate) seq: i64,
    pub(crate) bucket: Bucket,
    pub(crate) kind: Kind,
    pub(crate) priority: Priority,
    pub(crate) lane: Lane,
    pub(crate) due_at: Time,
}

impl Mover {
    /// From the columns seq, bucket, kind, priority, lost, `due_at`.
    pub(crate) fn read(row: &rusqlite::Row<'_>, names: &mut Names) -> Fallible<Self> {
        let lost: u32 = row.get(4)?;
        Ok(Self {
            seq: row.get(0)?,
            bucket: names.bucket(text(row, 1)?)?,
            kind: names.kind(text(row, 2)?)?,
            priority: priority(row.get(3)?)?,
            lane: if lost >= SUSPECT_LOST { Lane::Suspect } else { Lane::Plain },
            due_at: Time::from_micros(row.get(5)?),
        })
    }
}

pub(crate) fn priority(code: i64) -> Fallible<Priority> {
    Priority::new(code).map_err(|_| Fault::unreadable("priority"))
}
