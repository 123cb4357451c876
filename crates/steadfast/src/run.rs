//! What a handler gets: its task, a way to report, and word when it should stop.

use crate::error::{Error, Result};
use crate::new::New;
use crate::shared::Shared;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use steadfast_core::seam::{Added, Save, Saved};
use steadfast_core::{Fence, Payload, Task, report};
use tokio_util::sync::CancellationToken;

/// One run of one task. Cheap to clone.
#[derive(Clone)]
pub struct Run(Arc<Inner>);

struct Inner {
    task: Task,
    fence: Fence,
    cancel: CancellationToken,
    shared: Arc<Shared>,
    output: Mutex<Option<String>>,
}

impl Run {
    pub(crate) fn new(task: Task, fence: Fence, cancel: CancellationToken, shared: Arc<Shared>) -> Self {
        Self(Arc::new(Inner { task, fence, cancel, shared, output: Mutex::default() }))
    }

    /// The task as it was grabbed.
    pub fn task(&self) -> &Task {
        &self.0.task
    }

    /// The proof of this run for outside systems: the grant in it rises with every run of the task, so that a
    /// resource can refuse an older one. With it the task can be finished from elsewhere.
    pub fn token(&self) -> Fence {
        self.0.fence
    }

    /// Reads a JSON payload.
    pub fn payload<T: serde::de::DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        self.0.task.payload.as_ref().map_or_else(|| Payload::default().read(), Payload::read)
    }

    /// The payload as bytes.
    pub fn bytes(&self) -> &[u8] {
        self.0.task.payload.as_ref().map_or(&[], |payload| &payload.bytes)
    }

    /// Ends when the run should stop: it was recalled, its worker lost its lease or drains. A handler that goes on
    /// regardless is dropped at its next await.
    pub async fn cancelled(&self) {
        self.0.cancel.cancelled().await;
    }

    /// Whether the run should stop. For code that never awaits.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancel.is_cancelled()
    }

    /// Leaves a result with the task, for people to read. Kept when the run ends; the last one counts.
    pub fn output(&self, output: impl Into<String>) {
        *self.0.output.lock().unwrap_or_else(PoisonError::into_inner) = Some(output.into());
    }

    /// Reports how far the run is, in at most 64 KiB.
    pub async fn progress(&self, progress: impl Into<String>) -> Result<()> {
        let progress = report(progress);
        self.save(Save { progress: Some(progress), ..self.unchanged() }).await
    }

    /// Adds a task whose parent this one is, with this one's context where it has none of its own. It is durable when
    /// this returns, whatever becomes of the run: give it a key if a repeat of the run must not add it again.
    pub async fn add(&self, new: impl Into<New>) -> Result<Added> {
        self.0.shared.add(new.into().child_of(&self.0.task)).await
    }

    /// Moves the run's deadline to so long from now.
    pub async fn extend(&self, deadline: Duration) -> Result<()> {
        let deadline = self.0.shared.policies.of(&self.task().kind).deadline_for(deadline);
        self.save(Save { deadline: Some(deadline), ..self.unchanged() }).await
    }

    async fn save(&self, save: Save) -> Result<()> {
        match self.0.shared.store.save(vec![save]).await?.first() {
            Some(Saved::Kept(_)) => Ok(()),
            Some(Saved::Lost) | None => {
                self.0.cancel.cancel();
                Err(Error::Lost)
            }
        }
    }

    pub(crate) fn unchanged(&self) -> Save {
        Save {
            fence: self.0.fence,
            step: None,
            payload: None,
            progress: None,
            deadline: None,
            progressed: false,
        }
    }

    pub(crate) fn take_output(&self) -> Option<String> {
        self.0.output.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl std::fmt::Debug for Run {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Run").field("token", &self.0.fence).finish_non_exhaustive()
    }
}
