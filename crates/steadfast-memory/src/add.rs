//! Adding tasks, and settling batches whose reply was lost.

use crate::rows::{KeyRow, ReceiptRow, Row};
use crate::state::State;
use std::collections::BTreeMap;
use std::time::Duration;
use steadfast_core::seam::{Add, Added, Adds, Settled};
use steadfast_core::{Key, NewTask, Receipt, Refusal, StoreError, Task, TaskId, Time, WorkerId};

impl State {
    /// Adds a batch, or refuses all of it.
    pub(crate) fn add(&mut self, add: Add, now: Time) -> Result<Adds, StoreError> {
        self.check_repeats(&add.tasks, now)?;
        if let Some(receipt) = add.receipt {
            if self.receipts.contains_key(&receipt) {
                return Err(Refusal::Receipt(receipt.uuid()).into());
            }
            self.receipts.insert(receipt, ReceiptRow { written_at: now, settled: Settled::Committed });
        }
        let added = add.tasks.into_iter().map(|task| self.add_one(task, now)).collect();
        let born = add.births.map_or_else(Vec::new, |birth| {
            birth
                .tasks
                .into_iter()
                .map(|(task, deadline)| self.bear(task, birth.worker, deadline, now))
                .collect()
        });
        Ok(Adds { now, added, born })
    }

    /// Finds out whether a batch was committed; if not, its receipt is used up and it never can be.
    pub(crate) fn settle(&mut self, receipt: Receipt, now: Time) -> Settled {
        let row = ReceiptRow { written_at: now, settled: Settled::Never };
        self.receipts.entry(receipt).or_insert(row).settled
    }

    /// Which task a key names. One past its window names nobody, cleaned or not.
    pub(crate) fn named(&self, key: &Key, now: Time) -> Option<TaskId> {
        self.keys.get(key).filter(|row| !row.is_expired(now)).map(|row| row.task)
    }

    /// Makes a key name a living task. Whoever had it before is past its window.
    pub(crate) fn name(&mut self, key: Key, task: TaskId) {
        self.keys.insert(key, KeyRow { task, keep_until: None });
    }

    fn add_one(&mut self, new: NewTask, now: Time) -> Added {
        if let Some(key) = &new.key {
            if let Some(first) = self.named(key, now) {
                return self.repeat(first, new, now);
            }
            self.name(key.clone(), new.id);
        }
        let row = Row { key_window: new.key_window, task: Task::added(new, self.next_seq(), now) };
        let added = added(&row.task);
        self.insert(row);
        added
    }

    /// Refuses tasks that want no repeat and would be one, also of each other.
    fn check_repeats(&self, tasks: &[NewTask], now: Time) -> Result<(), Refusal> {
        let mut before: BTreeMap<&Key, TaskId> = BTreeMap::new();
        for new in tasks {
            let Some(key) = &new.key else { continue };
            new.check_first(self.named(key, now).or_else(|| before.get(key).copied()))?;
            before.insert(key, new.id);
        }
        Ok(())
    }

    fn repeat(&mut self, first: TaskId, new: NewTask, now: Time) -> Added {
        let mut replaced = false;
        let task = self.edit(first, |task| replaced = new.replace(task, now)).filter(|_| replaced);
        match task.map(added) {
            Some(added) => Added { fresh: false, replaced, ..added },
            None => Added { id: first, fresh: false, ..added(&Task::added(new, 0, now)) },
        }
    }

    fn bear(&mut self, new: NewTask, worker: WorkerId, deadline: Duration, now: Time) -> Task {
        let mut row = Row { key_window: new.key_window, task: Task::added(new, self.next_seq(), now) };
        row.task.granted(worker, deadline, now);
        let born = row.task.clone();
        self.insert(row);
        born
    }
}

fn added(task: &Task) -> Added {
    Added { id: task.id, fresh: true, replaced: false, status: task.status, due_at: task.due_at }
}
