//! Where to find the living tasks that somebody has to move, without walking the others.
//!
//! These are the indexes that a store in SQL has; a status without one is found by id alone.

use crate::ready::Ready;
use crate::serial::Queues;
use std::collections::{BTreeMap, BTreeSet};
use steadfast_core::{Bucket, Status, Task, TaskId, Time, WorkerId};

/// The indexes of the hot table.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// What may be grabbed, by bucket. A bucket without anything ready has no entry.
    pub(crate) ready: BTreeMap<Bucket, Ready>,
    /// By due time, then by order of adding.
    pub(crate) waiting: BTreeMap<(Time, i64), TaskId>,
    /// What each worker runs, by deadline.
    pub(crate) running: BTreeMap<WorkerId, BTreeSet<(Time, TaskId)>>,
    /// By the time until which they may be finished.
    pub(crate) parked: BTreeSet<(Time, TaskId)>,
    /// Who stands in line behind a serial key.
    pub(crate) queues: Queues,
}

impl Index {
    /// A row came, or is as it is now.
    pub(crate) fn insert(&mut self, task: &Task) {
        match task.status {
            Status::Ready => self.ready.entry(task.bucket.clone()).or_default().insert(task),
            Status::Waiting => {
                self.waiting.insert((task.due_at, task.seq), task.id);
            }
            Status::Running => {
                let Some(worker) = task.worker else { return };
                self.running.entry(worker).or_default().insert((deadline(task), task.id));
            }
            Status::Parked => {
                self.parked.insert((task.due_at, task.id));
            }
            _ => {}
        }
        self.queues.insert(task);
    }

    /// A row goes, or is about to change.
    pub(crate) fn remove(&mut self, task: &Task) {
        match task.status {
            Status::Ready => {
                if let Some(ready) = self.ready.get_mut(&task.bucket)
                    && ready.remove(task)
                {
                    self.ready.remove(&task.bucket);
                }
            }
            Status::Waiting => {
                self.waiting.remove(&(task.due_at, task.seq));
            }
            Status::Running => self.remove_running(task),
            Status::Parked => {
                self.parked.remove(&(task.due_at, task.id));
            }
            _ => {}
        }
        self.queues.remove(task);
    }

    /// How many tasks a worker runs.
    pub(crate) fn running_n(&self, worker: WorkerId) -> usize {
        self.running.get(&worker).map_or(0, BTreeSet::len)
    }

    /// When the next waiting task is due.
    pub(crate) fn next_due(&self) -> Option<Time> {
        self.waiting.first_key_value().map(|((due_at, _), _)| *due_at)
    }

    fn remove_running(&mut self, task: &Task) {
        let Some(worker) = task.worker else { return };
        let Some(runs) = self.running.get_mut(&worker) else { return };
        runs.remove(&(deadline(task), task.id));
        if runs.is_empty() {
            self.running.remove(&worker);
        }
    }
}

/// A run always has one; a row that lacks it could only be a fault, and then it is found at the last moment.
fn deadline(task: &Task) -> Time {
    task.deadline_at.unwrap_or(Time::MAX)
}
