//! What may be grabbed in a bucket, in two orders.

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Unbounded};
use steadfast_core::{Kind, Lane, Priority, Task, TaskId, Time};

/// The ready tasks of a bucket.
#[derive(Debug, Default)]
pub(crate) struct Ready {
    /// In the claim's order, for reading ahead.
    line: BTreeMap<(Priority, Time, i64), TaskId>,
    /// Kind by kind, for grabbing and for looking behind full kinds. A kind without anything ready has no entry.
    kinds: BTreeMap<Kind, BTreeMap<Place, TaskId>>,
}

/// A place among the tasks of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    priority: Priority,
    lane: Lane,
    ready_at: Time,
    seq: i64,
}

impl Ready {
    /// All of them, in the claim's order.
    pub(crate) fn in_order(&self) -> impl Iterator<Item = TaskId> {
        self.line.values().copied()
    }

    /// The kinds behind `after`, by name.
    pub(crate) fn kinds<'a>(&'a self, after: Option<&'a Kind>) -> impl Iterator<Item = &'a Kind> + use<'a> {
        let from = after.map_or(Unbounded, Excluded);
        self.kinds.range::<Kind, _>((from, Unbounded)).map(|(kind, _)| kind)
    }

    /// The tasks of a kind, most urgent first, then oldest first.
    pub(crate) fn all_of(&self, kind: &Kind) -> impl Iterator<Item = TaskId> {
        self.kinds.get(kind).into_iter().flat_map(|places| places.values().copied())
    }

    /// The tasks that a demand may take, oldest first.
    pub(crate) fn of(&self, kind: &Kind, priority: Priority, lane: Lane) -> impl Iterator<Item = TaskId> {
        let first = Place { priority, lane, ready_at: Time::from_micros(i64::MIN), seq: i64::MIN };
        let last = Place { ready_at: Time::from_micros(i64::MAX), seq: i64::MAX, ..first };
        self.kinds.get(kind).into_iter().flat_map(move |places| places.range(first..=last)).map(|(_, id)| *id)
    }

    /// A task became ready.
    pub(crate) fn insert(&mut self, task: &Task) {
        self.line.insert((task.priority, task.ready_at, task.seq), task.id);
        self.kinds.entry(task.kind.clone()).or_default().insert(place(task), task.id);
    }

    /// A task is not ready any more; says whether it was the last one.
    pub(crate) fn remove(&mut self, task: &Task) -> bool {
        self.line.remove(&(task.priority, task.ready_at, task.seq));
        if let Some(places) = self.kinds.get_mut(&task.kind) {
            places.remove(&place(task));
            if places.is_empty() {
                self.kinds.remove(&task.kind);
            }
        }
        self.line.is_empty()
    }
}

fn place(task: &Task) -> Place {
    Place { priority: task.priority, lane: task.lane(), ready_at: task.ready_at, seq: task.seq }
}
