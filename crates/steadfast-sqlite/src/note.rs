//! Words about what is ready, put together where they agree.

use crate::fault::{Fallible, Fault};
use crate::row::{Names, text};
use std::collections::BTreeMap;
use steadfast_core::limit::SUSPECT_LOST;
use steadfast_core::{Bucket, Kind, Lane, Note, Priority, Time};

/// Notes as they come in, one task at a time.
#[derive(Default)]
pub(crate) struct Notes(BTreeMap<(Bucket, Priority, Time, Kind, Lane), usize>);

/// What a sweep reads of a task that it is about to make ready.
pub(crate) struct Mover {
    pub(crate) seq: i64,
    pub(crate) bucket: Bucket,
    pub(crate) kind: Kind,
    pub(crate) priority: Priority,
    pub(crate) lane: Lane,
    pub(crate) due_at: Time,
}

impl Notes {
    /// One task is ready.
    pub(crate) fn add(&mut self, bucket: Bucket, kind: Kind, priority: Priority, ready_at: Time, lane: Lane) {
        *self.0.entry((bucket, priority, ready_at, kind, lane)).or_default() += 1;
    }

    /// The notes by bucket, in the claim's order.
    pub(crate) fn by_bucket(self) -> Vec<(Bucket, Note)> {
        let note = |((bucket, priority, ready_at, kind, lane), n)| {
            (bucket, Note { kind, priority, ready_at, lane, n })
        };
        self.0.into_iter().map(note).collect()
    }

    /// The notes of one bucket, in the claim's order.
    pub(crate) fn of_one(self) -> Vec<Note> {
        self.by_bucket().into_iter().map(|(_, note)| note).collect()
    }
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
