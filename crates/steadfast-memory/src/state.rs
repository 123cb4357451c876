//! All that the store keeps, and the few ways in which a task's row may change.

use crate::index::Index;
use crate::rows::{KeyRow, ReceiptRow, Row};
use std::collections::{BTreeMap, BTreeSet};
use steadfast_core::seam::{KindRow, WorkerRow};
use steadfast_core::{Bucket, Fence, Key, Kind, Receipt, Retention, Task, TaskId, Time, WorkerId};

/// The tables. What a task does is written only through the functions here, so that the index is never behind.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// The hot table.
    tasks: BTreeMap<TaskId, Row>,
    /// The hot table's indexes.
    pub(crate) index: Index,
    /// Ended tasks.
    pub(crate) history: BTreeMap<TaskId, Row>,
    /// The history by end, for cleaning.
    pub(crate) ended: BTreeSet<(Time, TaskId)>,
    pub(crate) keys: BTreeMap<Key, KeyRow>,
    pub(crate) receipts: BTreeMap<Receipt, ReceiptRow>,
    pub(crate) workers: BTreeMap<WorkerId, WorkerRow>,
    pub(crate) recalls: BTreeMap<WorkerId, BTreeSet<Fence>>,
    pub(crate) kinds: BTreeMap<Kind, KindRow>,
    /// What runs, or ran, under limits of the cluster: the full name of its narrowest one.
    pub(crate) limited: BTreeMap<TaskId, String>,
    /// Buckets from which nothing is grabbed.
    pub(crate) paused: BTreeSet<Bucket>,
    seq: i64,
}

impl State {
    /// A living task.
    pub(crate) fn task(&self, id: TaskId) -> Option<&Task> {
        self.tasks.get(&id).map(|row| &row.task)
    }

    /// The living tasks, in order of their ids.
    pub(crate) fn tasks(&self) -> &BTreeMap<TaskId, Row> {
        &self.tasks
    }

    /// The living task that this fence holds. No row means that the grant is lost.
    pub(crate) fn fenced(&self, fence: Fence) -> Option<&Task> {
        self.task(fence.task).filter(|task| task.fence() == Some(fence))
    }

    /// The next place in the order of adding.
    pub(crate) fn next_seq(&mut self) -> i64 {
        self.seq += 1;
        self.seq
    }

    /// Puts a row into the hot table.
    pub(crate) fn insert(&mut self, row: Row) {
        self.index.insert(&row.task);
        let old = self.tasks.insert(row.task.id, row);
        debug_assert!(old.is_none(), "an id was given twice");
    }

    /// Changes a row of the hot table.
    pub(crate) fn edit(&mut self, id: TaskId, change: impl FnOnce(&mut Task)) -> Option<&Task> {
        let task = &mut self.tasks.get_mut(&id)?.task;
        self.index.remove(task);
        change(task);
        self.index.insert(task);
        Some(task)
    }

    /// Takes a task that became final out of the hot table, keeps of it what is to be kept, and lets its key go
    /// when its window is over.
    pub(crate) fn retire_task(&mut self, id: TaskId, retention: Retention, now: Time) {
        let Some(mut row) = self.tasks.remove(&id) else { return };
        self.index.remove(&row.task);
        if let Some(key) = row.task.key.as_ref().and_then(|key| self.keys.get_mut(key)) {
            debug_assert_eq!(key.task, id, "a living task has its key");
            key.keep_until = Some(now.after(row.key_window));
        }
        match retention {
            Retention::Delete => return,
            Retention::Bare => row.task.payload = None,
            Retention::History => {}
        }
        self.ended.insert((row.task.due_at, id));
        self.history.insert(id, row);
    }

    /// Takes a task out of the history.
    pub(crate) fn forget(&mut self, id: TaskId) -> Option<Row> {
        let row = self.history.remove(&id)?;
        self.ended.remove(&(row.task.due_at, id));
        Some(row)
    }

    /// Whether a worker has a row and was not declared dead. Its lease alone decides nothing: a sweep marks first.
    pub(crate) fn is_live(&self, worker: WorkerId) -> bool {
        self.workers.get(&worker).is_some_and(|row| !row.dead)
    }

    /// Pauses a bucket or lets it go on.
    pub(crate) fn pause_bucket(&mut self, bucket: Bucket, paused: bool) {
        if paused {
            self.paused.insert(bucket);
        } else {
            self.paused.remove(&bucket);
        }
    }

    /// Tells a worker that a run was taken from it.
    pub(crate) fn recall(&mut self, fence: Fence) {
        self.recalls.entry(fence.worker).or_default().insert(fence);
    }
}
