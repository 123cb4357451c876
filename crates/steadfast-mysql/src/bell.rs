//! Word of tasks that were added in a transaction, to be given when it has committed.

use crate::store::MySqlStore;
use std::collections::BTreeSet;
use steadfast_core::seam::Added;
use steadfast_core::{Bucket, Hint, Hints, NewTask};

/// Tells workers of tasks that the caller's transaction added. Ring it after the commit; without it, or when it is
/// dropped, workers notice the tasks by their sweep, within a second.
#[must_use = "workers hear of the tasks at once only when it is rung"]
#[derive(Debug)]
pub struct Bell {
    store: MySqlStore,
    hints: BTreeSet<Hint>,
}

impl Bell {
    pub(crate) fn new(store: MySqlStore) -> Self {
        Self { store, hints: BTreeSet::new() }
    }

    /// Remembers what workers need to hear of a task.
    pub(crate) fn note(&mut self, bucket: Bucket, serial: Option<String>, added: &Added) {
        if added.fresh || added.replaced {
            self.hints.extend(serial.map(Hint::Release));
            // Whoever listens looks for what is due, too.
            self.hints.insert(Hint::Look { bucket, from: 0 });
        }
    }

    /// What is needed of tasks to note them later.
    pub(crate) fn places(tasks: &[NewTask]) -> Vec<(Bucket, Option<String>)> {
        tasks.iter().map(|new| (new.bucket.clone(), new.serial.clone())).collect()
    }

    /// Tells them. The transaction must have committed: whoever looks before it sees nothing.
    pub fn ring(self) {
        for hint in self.hints {
            self.store.ring(hint);
        }
    }
}
