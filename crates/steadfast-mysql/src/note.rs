//! What a sweep says of the tasks that it makes ready.

use crate::cells::Cells;
use crate::fault::Fallible;
use crate::row::{self, Names};
use steadfast_core::{Bucket, Kind, Lane, Priority, TaskId, Time};

/// What a sweep says of a task that it moves.
pub(crate) struct Moved {
    pub(crate) bucket: Bucket,
    pub(crate) kind: Kind,
    pub(crate) priority: Priority,
    pub(crate) lane: Lane,
    pub(crate) due_at: Time,
    pub(crate) id: TaskId,
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
