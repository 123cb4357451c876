//! A system outside that compares tokens, and refuses whoever comes late.

use std::collections::BTreeMap;
use std::sync::Mutex;
use steadfast_core::{Fence, Grant, TaskId};

/// Keeps the newest token of each task that it was shown.
#[derive(Debug, Default)]
pub(crate) struct Outside(Mutex<BTreeMap<TaskId, Grant>>);

impl Outside {
    /// Whether it does what a run wants that shows this token.
    pub(crate) fn show(&self, token: Fence) -> bool {
        let mut newest = self.0.lock().unwrap();
        let newest = newest.entry(token.task).or_insert(token.grant);
        let is_new = token.grant >= *newest;
        *newest = token.grant.max(*newest);
        is_new
    }
}
