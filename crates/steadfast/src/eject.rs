//! Taking over a task that somebody else runs.

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::news::{Ejecting, News};
use crate::rewrite::Rewrite;
use steadfast_core::{Guard, Refusal, Status, Task, TaskId};
use tokio::sync::oneshot;

impl Engine {
    /// Takes a running or parked task over at once, with a change to it: it runs here, under a new grant. The old run is
    /// told to stop, and whatever it still says is refused.
    ///
    /// For news that cannot wait for a run to end: a callback that comes while another worker asks for the same result.
    /// A slot is taken even if none is free, so a limit may be passed by what was taken over; nothing more is grabbed
    /// until it fits again. A parked task under a cluster limit counts there from now on, and may pass it by one.
    ///
    /// ```
    /// use steadfast::{Engine, Error, Guard, Rewrite, TaskId};
    ///
    /// /// The other side calls: whoever has the task, it goes on here and now.
    /// async fn called(engine: &Engine, id: TaskId, answer: &str) -> steadfast::Result<()> {
    ///     let Some(task) = engine.get(id).await? else { return Ok(()) };
    ///     engine.eject(id, Guard::Grant(task.grant), Rewrite::step("decide").with(&answer)).await.map(drop)
    /// }
    /// ```
    ///
    /// # Errors
    /// [`Refused`](steadfast_core::StoreError::Refused) if the task is not as the guard says, or nobody holds it;
    /// [`Error::NoHandler`] and [`Error::TakesNone`] if this engine cannot run it. Nothing was changed.
    /// [`Unknown`](steadfast_core::StoreError::Unknown) if the answer was lost: if it happened, this worker finds out at
    /// its next renews and gives the task back, with its change and without counting.
    ///
    /// # Cancel safety
    /// A caller that stops waiting does not stop the ejection.
    pub async fn eject(&self, id: TaskId, guard: Guard, rewrite: Rewrite) -> Result<Task> {
        let (step, mut payload) = rewrite.checked(self.shared.unpacked_bytes_max())?;
        let seen = self.shared.store.get(id).await?.ok_or(Refusal::NoTask(id))?;
        let handler = self.shared.handlers.require(&seen.kind)?;
        if let Some(payload) = &mut payload {
            handler.upcasters.stamp_one(payload);
            *payload = self.shared.pack(&seen.kind, std::mem::take(payload)).await?;
        }
        let from = seen.fence().filter(|_| seen.status == Status::Running);
        let (reply, answer) = oneshot::channel();
        let ejecting = Ejecting { id, guard, kind: seen.kind, from, step, payload, reply };
        self.news.send(News::Eject(Box::new(ejecting))).map_err(|_| Error::Stopped)?;
        let task = answer.await.map_err(|_| Error::Stopped)??;
        Ok(self.shared.opened(task))
    }
}
