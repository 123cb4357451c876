//! The rows beside the tasks' own.

use std::time::Duration;
use steadfast_core::limit::PAYLOAD_INLINE_BYTES_MAX;
use steadfast_core::seam::Settled;
use steadfast_core::{Task, TaskId, Time};

/// A task, living or ended, with what the record does not say of it.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) task: Task,
    /// How long its key outlives it. It stands here and not with the key, which may be cleaned before somebody
    /// runs the task again.
    pub(crate) key_window: Duration,
}

/// Which task a key names.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyRow {
    pub(crate) task: TaskId,
    /// None while the task lives.
    pub(crate) keep_until: Option<Time>,
}

/// The first row that a batch writes, or that its settling writes in its place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReceiptRow {
    pub(crate) written_at: Time,
    /// What became of the batch. Without this the repeat of a settling whose own reply was lost would take the
    /// first one's row for the batch's, and call a batch committed that never came.
    pub(crate) settled: Settled,
}

impl KeyRow {
    /// Whether it names nobody any more, cleaned or not.
    pub(crate) fn is_expired(&self, now: Time) -> bool {
        self.keep_until.is_some_and(|until| until <= now)
    }
}

/// A copy as it is handed to a worker: large payloads are read when the run starts.
pub(crate) fn inline(task: &Task) -> Task {
    if task.payload_len > PAYLOAD_INLINE_BYTES_MAX { bare(task) } else { task.clone() }
}

/// A copy without the payload, for lists.
pub(crate) fn bare(task: &Task) -> Task {
    Task { payload: None, ..task.clone() }
}
