//! What was waiting and has come due.

use crate::state::State;
use std::collections::BTreeMap;
use steadfast_core::seam::Due;
use steadfast_core::{Bucket, Kind, Lane, Note, Priority, Status, Task, TaskId, Time};

impl State {
    /// Makes up to `n_max` waiting tasks ready whose time has come.
    pub(crate) fn due(&mut self, n_max: usize, now: Time) -> Due {
        let waiting = self.index.waiting.iter();
        let ids: Vec<TaskId> =
            waiting.take_while(|((due_at, _), _)| *due_at <= now).take(n_max).map(|(_, id)| *id).collect();
        let mut came = Vec::new();
        for id in ids {
            came.extend(self.edit(id, |task| come_due(task, now)).cloned());
        }
        Due { notes: notes(came.iter()), next_in: self.index.next_due().map(|due_at| due_at.since(now)) }
    }
}

/// The claim's order is when it was due, not when a sweep noticed.
fn come_due(task: &mut Task, now: Time) {
    task.status = Status::Ready;
    task.ready_at = task.due_at;
    task.touch(now);
}

/// Word of those among these tasks that are ready, by bucket and in the claim's order.
pub(crate) fn notes<'a>(tasks: impl Iterator<Item = &'a Task>) -> Vec<(Bucket, Note)> {
    let mut lots: BTreeMap<(Bucket, Priority, Time, Kind, Lane), usize> = BTreeMap::new();
    for task in tasks.filter(|task| task.status == Status::Ready) {
        let lot = (task.bucket.clone(), task.priority, task.ready_at, task.kind.clone(), task.lane());
        *lots.entry(lot).or_default() += 1;
    }
    lots.into_iter()
        .map(|((bucket, priority, ready_at, kind, lane), n)| {
            (bucket, Note { kind, priority, ready_at, lane, n })
        })
        .collect()
}
