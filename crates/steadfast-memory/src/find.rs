//! Reading: one task, a page of them, how many there are.

use crate::rows::{Row, bare};
use crate::state::State;
use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Unbounded};
use steadfast_core::limit::PAGE_MAX;
use steadfast_core::seam::{Count, Page};
use steadfast_core::{Cursor, Filter, Kind, Payload, Scope, Status, Task, TaskId};

impl State {
    /// One task with its payload, living or in the history.
    pub(crate) fn get(&self, id: TaskId) -> Option<Task> {
        self.tasks().get(&id).or_else(|| self.history.get(&id)).map(|row| row.task.clone())
    }

    /// The payload of a living task.
    pub(crate) fn payload(&self, id: TaskId) -> Option<Payload> {
        self.task(id)?.payload.clone()
    }

    /// A page of tasks, newest first.
    pub(crate) fn find(&self, filter: &Filter, after: Option<Cursor>, n_max: usize) -> Page {
        let n_max = n_max.min(PAGE_MAX);
        let below = after.map_or(Unbounded, |cursor| Excluded(cursor.0));
        let rows = self.scope(filter.scope).range((Unbounded, below)).rev().map(|(_, row)| &row.task);
        let mut tasks: Vec<Task> =
            rows.filter(|task| filter.accepts(task)).take(n_max + 1).map(bare).collect();
        let more = tasks.len() > n_max;
        tasks.truncate(n_max);
        let next = tasks.last().filter(|_| more).map(|task| Cursor(task.id));
        Page { tasks, next }
    }

    /// How many tasks there are, by kind and status.
    pub(crate) fn count(&self, filter: &Filter) -> Vec<Count> {
        let mut counts: BTreeMap<(&Kind, Status), u64> = BTreeMap::new();
        let tasks = self.scope(filter.scope).values().map(|row| &row.task);
        for task in tasks.filter(|task| filter.accepts(task)) {
            *counts.entry((&task.kind, task.status)).or_default() += 1;
        }
        counts.into_iter().map(|((kind, status), n)| Count { kind: kind.clone(), status, n }).collect()
    }

    fn scope(&self, scope: Scope) -> &BTreeMap<TaskId, Row> {
        match scope {
            Scope::Live => self.tasks(),
            Scope::History => &self.history,
        }
    }
}
