//! A system outside that compares tokens: it does what a task wants once, and refuses whoever comes late.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Mutex;
use steadfast_core::{Fence, Grant, TaskId};

/// Keeps the newest token of each task that it was shown.
#[derive(Debug, Default)]
pub struct Outside(Mutex<BTreeMap<TaskId, Grant>>);

/// What it says to a run that shows its token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// The first of its task: what it wants is done.
    Taken,
    /// That was done for the same task before.
    Known,
    /// A newer run of the same task was here.
    Refused,
}

impl Outside {
    /// A run shows its token.
    pub fn show(&self, token: Fence) -> Answer {
        match self.0.lock().unwrap().entry(token.task) {
            Entry::Vacant(first) => {
                first.insert(token.grant);
                Answer::Taken
            }
            Entry::Occupied(newest) if token.grant < *newest.get() => Answer::Refused,
            Entry::Occupied(mut newest) => {
                newest.insert(token.grant);
                Answer::Known
            }
        }
    }

    /// The newest token of each task that was here.
    pub fn newest(&self) -> BTreeMap<TaskId, Grant> {
        self.0.lock().unwrap().clone()
    }
}
