//! Words about what is ready, put together where they agree.

use crate::cells::Cells;
use crate::fault::Fallible;
use crate::row::{self, Names};
use std::collections::BTreeMap;
use steadfast_core::{Bucket, Kind, Lane, Note, Priority, TaskId, Time};

/// Notes as they come in, one task at a time.
#[derive(Default)]
pub(crate) struct Notes(BTreeMap<(Bucket, Priority, Time, Kind, Lane), usize>);

/// What a sweep says of a task that it moves.
pub(crate) struct Moved {
    pub(crate) bucket: Bucket,
    pub(crate) kind: Kind,
    pub(crate) priority: Priority,
    pub(crate) lane: Lane,
    pub(crate) due_at: Time,
    pub(crate) id: TaskId,
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

impl Moved {
    /// From the columns bucket, kind, priority, suspect, `due_at`, id.
    pub(crate) fn read_all(rows: &[Cells]) -> Fallible<Vec<Self>> {
        let mut names = Names::default();
        let read = |row: &Cells| {
            Ok(Self {
                bucket: names.bucket(row.text(0)?)?,
                kind: names.kind(row.text(1)?)?,
                priority: row::priority(row.int(2)?)?,
                lane: lane(row.flag(3)?),
                due_at: row.time(4)?,
                id: row.task_id(5)?,
            })
        };
        rows.iter().map(read).collect()
    }
}

pub(crate) fn lane(suspect: bool) -> Lane {
    if suspect { Lane::Suspect } else { Lane::Plain }
}
