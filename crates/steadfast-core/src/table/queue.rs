//! What is known of one kind and lane: how many tasks became ready at which time, by priority.

use super::heads::{Head, Place};
use super::{Line, Note};
use crate::priority::Priority;
use crate::time::Time;
use std::collections::{BTreeMap, VecDeque};

#[derive(Debug, Default)]
pub(super) struct Queue {
    runs: BTreeMap<Priority, VecDeque<Run>>,
    /// Where the head lies; none while the queue is empty.
    pub(super) head: Option<Place>,
}

/// Tasks that became ready at the same time.
#[derive(Debug)]
struct Run {
    ready_at: Time,
    n: usize,
}

impl Queue {
    pub(super) fn first(&self, line: &Line) -> Option<Head> {
        let (priority, runs) = self.runs.first_key_value()?;
        runs.front().map(|run| Head { priority: *priority, ready_at: run.ready_at, line: line.clone() })
    }

    /// Adds a note to the run of its time, if there is one.
    pub(super) fn add(&mut self, note: &Note) -> bool {
        let Some(runs) = self.runs.get_mut(&note.priority) else { return false };
        let at = runs.binary_search_by_key(&note.ready_at, |run| run.ready_at).ok();
        let run = at.and_then(|at| runs.get_mut(at));
        run.map(|run| run.n += note.n).is_some()
    }

    /// Makes a run of a note for which there is none.
    pub(super) fn insert(&mut self, note: &Note) {
        let runs = self.runs.entry(note.priority).or_default();
        let at = runs.partition_point(|run| run.ready_at < note.ready_at);
        runs.insert(at, Run { ready_at: note.ready_at, n: note.n });
    }

    /// Tasks of a priority that were noted for the time of its head.
    pub(super) fn noted(&self, priority: Priority) -> usize {
        self.runs.get(&priority).and_then(VecDeque::front).map_or(0, |run| run.n)
    }

    /// Takes so many tasks of the head of a priority; says how many runs that ended.
    pub(super) fn take(&mut self, priority: Priority, n: usize) -> usize {
        let Some(runs) = self.runs.get_mut(&priority) else { return 0 };
        let Some(run) = runs.front_mut() else { return 0 };
        run.n -= n;
        if run.n > 0 {
            return 0;
        }
        runs.pop_front();
        if runs.is_empty() {
            self.runs.remove(&priority);
        }
        1
    }

    /// Forgets a priority; says how many runs that were.
    pub(super) fn forget(&mut self, priority: Priority) -> usize {
        self.runs.remove(&priority).map_or(0, |runs| runs.len())
    }
}
