//! Serial keys: one task at a time comes forward, in order of adding.

use crate::due::notes;
use crate::state::State;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound::{Excluded, Unbounded};
use steadfast_core::seam::Released;
use steadfast_core::{Status, Task, TaskId, Time};

/// Who stands in line behind which serial key.
#[derive(Debug, Default)]
pub(crate) struct Queues {
    /// The held tasks of each key, in order of adding. A key without any has no entry.
    held: BTreeMap<String, BTreeMap<i64, TaskId>>,
    /// The keys that have a head. A task can only come forward while its key has none, so there is never a second.
    heads: BTreeSet<String>,
}

impl Queues {
    /// A row came, or is as it is now.
    pub(crate) fn insert(&mut self, task: &Task) {
        let Some(serial) = &task.serial else { return };
        if task.status == Status::Held {
            self.held.entry(serial.clone()).or_default().insert(task.seq, task.id);
        } else if task.status.is_head() {
            self.heads.insert(serial.clone());
        }
    }

    /// A row goes, or is about to change.
    pub(crate) fn remove(&mut self, task: &Task) {
        let Some(serial) = &task.serial else { return };
        if task.status.is_head() {
            self.heads.remove(serial);
        } else if let Some(queue) = self.held.get_mut(serial) {
            queue.remove(&task.seq);
            if queue.is_empty() {
                self.held.remove(serial);
            }
        }
    }

    /// Who comes forward: the first in line, if the key has no head.
    fn next(&self, serial: &str) -> Option<TaskId> {
        if self.heads.contains(serial) {
            return None;
        }
        self.held.get(serial)?.values().next().copied()
    }

    /// The keys behind `after` with somebody in line.
    fn keys(&self, after: Option<&str>) -> impl Iterator<Item = &String> {
        self.held.range::<str, _>((after.map_or(Unbounded, Excluded), Unbounded)).map(|(serial, _)| serial)
    }
}

impl State {
    /// Lets the next task of each of these keys come forward.
    pub(crate) fn release(&mut self, keys: &[String], now: Time) -> Released {
        let mut forward = Vec::new();
        for serial in keys {
            let Some(id) = self.index.queues.next(serial) else { continue };
            forward.extend(self.edit(id, |task| come_forward(task, now)).cloned());
        }
        let due_in = forward
            .iter()
            .filter(|task| task.status == Status::Waiting)
            .map(|task| task.due_at.since(now))
            .min();
        Released { notes: notes(forward.iter()), due_in, after: None }
    }

    /// The same for the next keys of the sweep.
    pub(crate) fn release_slice(&mut self, after: Option<&str>, n_max: usize, now: Time) -> Released {
        let mut keys: Vec<String> =
            self.index.queues.keys(after).take(n_max.saturating_add(1)).cloned().collect();
        let more = keys.len() > n_max;
        keys.truncate(n_max);
        let after = if more { keys.last().cloned() } else { None };
        Released { after, ..self.release(&keys, now) }
    }
}

/// A head that is not due yet waits and blocks its key all the same.
fn come_forward(task: &mut Task, now: Time) {
    task.status = if task.due_at > now { Status::Waiting } else { Status::Ready };
    task.ready_at = task.due_at.max(now);
    task.touch(now);
}
