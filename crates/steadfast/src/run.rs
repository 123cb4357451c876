//! What a handler gets: its task, a way to report, and word when it should stop.

use crate::error::{Error, Result};
use crate::new::New;
use crate::shared::Shared;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use steadfast_core::seam::{Added, Save, Saved};
use steadfast_core::{Fence, NewTask, Outcome, Payload, Store, Task, report};
use tokio_util::sync::CancellationToken;

/// One run of one task. Cheap to clone.
#[derive(Clone)]
pub struct Run(Arc<Inner>);

struct Inner {
    /// Boxed, since it is large and is handed on from one to the next on its way here.
    task: Box<Task>,
    fence: Fence,
    cancel: CancellationToken,
    shared: Arc<Shared>,
    output: Mutex<Option<String>>,
    mark: Mutex<Mark>,
}

/// What was saved in the middle of the run.
#[derive(Debug, Default)]
struct Mark {
    step: Option<String>,
    payload: Option<Payload>,
    /// Saves whose answer nobody heard, because none came or their caller did not wait: with any of them, only the store
    /// knows what the task goes on with.
    unheard: usize,
}

impl Run {
    pub(crate) fn new(task: Box<Task>, fence: Fence, cancel: CancellationToken, shared: Arc<Shared>) -> Self {
        let (output, mark) = (Mutex::default(), Mutex::default());
        Self(Arc::new(Inner { task, fence, cancel, shared, output, mark }))
    }

    /// The task as it was when its handler was called. What the run saves meanwhile does not show here.
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
        self.write(Save { progress: Some(progress), ..self.unchanged() }).await
    }

    /// Writes down what the run knows by now, as JSON: whoever runs the task next gets it as payload, after a crash
    /// just as after a failure. It counts as no progress: failures are forgotten only at a next step.
    ///
    /// ```
    /// # use steadfast::{BoxError, Run};
    /// async fn count(run: Run, mut from: u64) -> Result<(), BoxError> {
    ///     while from < 1000 {
    ///         // ... a hundred rows ...
    ///         from += 100;
    ///         run.save(&from).await?;
    ///     }
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    /// [`Error::Lost`] if the task is somebody else's by now; the run is told to stop.
    pub async fn save(&self, payload: &impl serde::Serialize) -> Result<()> {
        self.set_mark(None, payload).await
    }

    /// The same, and the step it has come to: the next run begins there.
    pub async fn save_step(&self, step: impl Into<String>, payload: &impl serde::Serialize) -> Result<()> {
        self.set_mark(Some(step.into()), payload).await
    }

    /// Adds a task whose parent this one is, with this one's context where it has none of its own and,
    /// where that has a trace, this run as its parent there. It is durable when
    /// this returns, whatever becomes of the run: give it a key if a repeat of the run must not add it again.
    pub async fn add(&self, new: impl Into<New>) -> Result<Added> {
        let added = self.0.shared.add(new.into().child_of(&self.0.task, self.trace())).await?;
        self.point("run.add").await;
        Ok(added)
    }

    /// Checks a task as [`add`](Self::add) would, for adding it in a transaction: it has this task as its parent.
    pub async fn prepare(&self, new: impl Into<New>) -> Result<NewTask> {
        self.0.shared.prepare(new.into().child_of(&self.0.task, self.trace())).await
    }

    /// The store, for what only a store of that type can do: a transaction whose writes are committed together with the
    /// end of this run.
    ///
    /// # Errors
    /// [`Error::OtherStore`] if it is of another type.
    pub fn store<S: Store>(&self) -> Result<&S> {
        self.0.shared.store()
    }

    /// Moves the run's deadline to so long from now.
    pub async fn extend(&self, deadline: Duration) -> Result<()> {
        let deadline = self.0.shared.policies.of(&self.task().kind).deadline_for(deadline);
        self.write(Save { deadline: Some(deadline), ..self.unchanged() }).await
    }

    /// Passes a point of the handler that its tests know by name: there they let the worker crash, the run hang and so
    /// on ([`testing`](crate::guides::testing)). Without the feature `testing` it does nothing at all.
    ///
    /// ```
    /// # use steadfast::{BoxError, Run};
    /// # async fn charge(key: String) -> Result<(), BoxError> { Ok(()) }
    /// # async fn thank() -> Result<(), BoxError> { Ok(()) }
    /// async fn pay(run: Run) -> Result<(), BoxError> {
    ///     charge(run.task().id.to_string()).await?;
    ///     run.point("charged").await;
    ///     thank().await
    /// }
    /// ```
    #[cfg_attr(
        not(feature = "testing"),
        expect(clippy::unused_async, reason = "only a test has anything to wait for")
    )]
    pub async fn point(&self, name: &str) {
        #[cfg(feature = "testing")]
        crate::testing::pass(self, name).await;
        #[cfg(not(feature = "testing"))]
        let _ = name;
    }

    async fn set_mark(&self, step: Option<String>, payload: &impl serde::Serialize) -> Result<()> {
        let (kind, shared) = (&self.0.task.kind, &self.0.shared);
        step.as_ref().map_or(Ok(()), |step| Outcome::step(step).check(usize::MAX))?;
        let mut payload = Payload::json(kind.as_str(), payload)?;
        if let Some(handler) = shared.handlers.find(kind) {
            handler.upcasters.stamp_one(&mut payload);
        }
        let packed = Some(shared.pack(kind, payload.clone()).await?);
        self.mark().unheard += 1;
        self.write(Save { step: step.clone(), payload: packed, ..self.unchanged() }).await?;
        self.note_mark(step, payload);
        self.point("run.save").await;
        Ok(())
    }

    fn note_mark(&self, step: Option<String>, payload: Payload) {
        let mut mark = self.mark();
        let step = step.or(mark.step.take());
        *mark = Mark { step, payload: Some(payload), unheard: mark.unheard - 1 };
    }

    fn mark(&self) -> MutexGuard<'_, Mark> {
        self.0.mark.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn write(&self, save: Save) -> Result<()> {
        match self.0.shared.save(save).await? {
            Saved::Kept(_) => Ok(()),
            Saved::Lost => {
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

    /// The task with what was saved in the middle of the run; none if nobody is sure what that is.
    pub(crate) fn reached(&self) -> Option<Box<Task>> {
        let mark = self.mark();
        let mut task = self.0.task.clone();
        task.step = mark.step.clone().or(task.step);
        task.payload = mark.payload.clone().or(task.payload);
        (mark.unheard == 0).then_some(task)
    }

    #[cfg(feature = "testing")]
    pub(crate) fn shared(&self) -> &Shared {
        &self.0.shared
    }

    /// Tells it to stop, as somebody who took its task away.
    #[cfg(feature = "testing")]
    pub(crate) fn stop(&self) {
        self.0.cancel.cancel();
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
