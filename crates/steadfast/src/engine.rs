//! The engine as its users hold it.

use crate::error::{Error, Result};
use crate::handler::IntoOutcome;
use crate::new::New;
use crate::news::{Adding, Drained, News};
use crate::shared::Shared;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use steadfast_core::limit::PAGE_MAX;
use steadfast_core::seam::{Added, Cause, Count, Finish, Finished, Page, WorkerRow};
use steadfast_core::{
    Act, Acted, Cursor, Deed, Fence, Filter, Guard, Hint, Key, NewTask, Refusal, Status, Store, Task, TaskId,
    decide,
};
use tokio::sync::mpsc::{Sender, UnboundedSender};
use tokio::sync::oneshot;

/// Most tasks in one [`Engine::add_many`]: they are one transaction, and others wait for its end.
const ADD_MANY_MAX: usize = 10_000;
/// Most acts in one [`Engine::act_all`], for the same reason.
const ACT_MAX: usize = 10_000;
/// How soon a wait for a task's end asks again, and how seldom at last.
const WAIT_FIRST: Duration = Duration::from_millis(2);
const WAIT_MAX: Duration = Duration::from_millis(100);

/// A running engine. Cheap to clone; when the last clone is dropped, the engine stops taking tasks and gives back
/// what runs. Call [`drain`](Self::drain) to let runs end first.
#[derive(Clone)]
pub struct Engine {
    pub(crate) shared: Arc<Shared>,
    pub(crate) adds: Sender<Adding>,
    pub(crate) news: UnboundedSender<News>,
}

impl Engine {
    /// Adds a task and returns when it is durable.
    ///
    /// # Errors
    /// [`StoreError::Refused`](steadfast_core::StoreError) for what no store could keep; nothing was added.
    /// [`Down`](steadfast_core::StoreError) or [`Busy`](steadfast_core::StoreError): nothing was added, try again.
    /// [`Unknown`](steadfast_core::StoreError): nobody could find out; a repeat under a key is harmless.
    ///
    /// # Cancel safety
    /// A caller that stops waiting does not stop the add.
    pub async fn add(&self, new: impl Into<New>) -> Result<Added> {
        self.shared.add(new.into()).await
    }

    /// Adds tasks together, at most 10,000: all or none.
    pub async fn add_many(&self, news: impl IntoIterator<Item = New>) -> Result<Vec<Added>> {
        let mut tasks = Vec::new();
        for new in news {
            if tasks.len() == ADD_MANY_MAX {
                return Err(Refusal::TooMany { n_max: ADD_MANY_MAX }.into());
            }
            tasks.push(self.prepare(new).await?);
        }
        let (reply, answer) = oneshot::channel();
        self.adds.send(Adding::Many(tasks, reply)).await.map_err(|_| Error::Stopped)?;
        answer.await.map_err(|_| Error::Stopped)?
    }

    /// Checks a task and completes it by its kind's policy. For adding it in a transaction of the caller's own.
    pub async fn prepare(&self, new: New) -> Result<NewTask> {
        self.shared.prepare(new).await
    }

    /// The store, for what only a store of that type can do, such as a transaction of its own.
    ///
    /// # Errors
    /// [`Error::OtherStore`] if it is of another type.
    pub fn store<S: Store>(&self) -> Result<&S> {
        self.shared.store()
    }

    /// One task, living or in the history.
    pub async fn get(&self, id: TaskId) -> Result<Option<Task>> {
        Ok(self.shared.store.get(id).await?.map(|task| self.shared.opened(task)))
    }

    /// Waits until a task has ended or is in `error`; none if nothing is kept of it, or never was.
    ///
    /// It asks the store now and then, more and more seldom up to ten times a second: for tests and tools. Who waits for
    /// many tasks does better to let their handlers tell.
    pub async fn wait(&self, id: TaskId) -> Result<Option<Task>> {
        let mut pause = WAIT_FIRST;
        loop {
            let task = self.shared.store.get(id).await?;
            if task.as_ref().is_none_or(|task| task.status.is_final() || task.status == Status::Error) {
                return Ok(task.map(|task| self.shared.opened(task)));
            }
            self.shared.runtime.sleep(pause).await;
            pause = (pause * 2).min(WAIT_MAX);
        }
    }

    /// The task that a key or a caller's own id names.
    pub async fn look_up(&self, key: Key) -> Result<Option<TaskId>> {
        Ok(self.shared.store.look_up(key).await?)
    }

    /// A page of tasks, newest first, without their payloads.
    pub async fn find(&self, filter: Filter, after: Option<Cursor>, n_max: usize) -> Result<Page> {
        Ok(self.shared.store.find(filter, after, n_max).await?)
    }

    /// Up to `n_max` tasks, newest first, without their payloads: page after page, so each page is of its own moment.
    pub async fn find_all(&self, filter: Filter, n_max: usize) -> Result<Vec<Task>> {
        let (mut tasks, mut after) = (Vec::new(), None);
        while tasks.len() < n_max {
            let page = self.find(filter.clone(), after, PAGE_MAX.min(n_max - tasks.len())).await?;
            tasks.extend(page.tasks);
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        Ok(tasks)
    }

    /// How many tasks there are, by kind and status.
    pub async fn count(&self, filter: Filter) -> Result<Vec<Count>> {
        Ok(self.shared.store.count(filter).await?)
    }

    /// The workers of this store.
    pub async fn workers(&self) -> Result<Vec<WorkerRow>> {
        Ok(self.shared.store.workers().await?)
    }

    /// Does something to a task that the caller saw: run it again, acknowledge, cancel, pause, release, change its time,
    /// its priority, its step or payload. The guard is what the caller saw; if the task has changed since, nothing is done.
    /// A task that runs changes its step and payload by [`eject`](Self::eject) only.
    ///
    /// ```
    /// use std::time::Duration;
    /// use steadfast::{Deed, Engine, Guard, Priority, Task, When};
    ///
    /// async fn hurry(engine: &Engine, task: &Task) -> steadfast::Result<()> {
    ///     let acted = engine.act(task.id, Guard::Version(task.version), Deed::Reschedule(When::Now)).await?;
    ///     // Each act makes a new version.
    ///     engine.act(task.id, Guard::Version(acted.version), Deed::Prioritise(Priority::new(0)?)).await?;
    ///     Ok(())
    /// }
    ///
    /// async fn stop_for_now(engine: &Engine, task: &Task) -> steadfast::Result<()> {
    ///     // This run, however often it has saved since; its worker is told to stop.
    ///     engine.act(task.id, Guard::Grant(task.grant), Deed::Pause).await.map(drop)
    /// }
    /// ```
    pub async fn act(&self, id: TaskId, guard: Guard, deed: Deed) -> Result<Acted> {
        let acted = self.act_all(vec![Act { id, guard, deed }]).await?;
        Ok(acted.into_iter().next().ok_or(Error::Stopped)??)
    }

    /// Does something to many tasks at once, at most 10,000. Each has its own fate.
    pub async fn act_all(&self, mut acts: Vec<Act>) -> Result<Vec<Result<Acted, Refusal>>> {
        if acts.len() > ACT_MAX {
            return Err(Refusal::TooMany { n_max: ACT_MAX }.into());
        }
        for act in &mut acts {
            self.pack_rewrite(act).await?;
        }
        let answers = self.shared.store.act(acts).await?;
        let done = || answers.iter().flatten();
        let recalled = done().filter_map(|acted| acted.recalled).map(|run| Hint::Recall(run.worker));
        let serials: BTreeSet<_> = done().filter_map(|acted| acted.serial.clone()).collect();
        recalled.chain(serials.into_iter().map(Hint::Release)).for_each(|hint| self.shared.hints.ring(hint));
        self.shared.hints.ring(Hint::LookAll);
        Ok(answers)
    }

    /// A payload that an operator writes is packed as one that is added; of a task that is gone the store says so.
    async fn pack_rewrite(&self, act: &mut Act) -> Result<()> {
        let Deed::Rewrite { payload: Some(payload), .. } = &mut act.deed else { return Ok(()) };
        if let Some(task) = self.shared.store.get(act.id).await? {
            *payload = self.shared.pack(&task.kind, payload.clone()).await?;
        }
        Ok(())
    }

    /// Finishes a task from elsewhere by the token of the run that parked it.
    ///
    /// # Errors
    /// [`Error::Lost`] if the token is not the valid one any more; nothing was changed.
    pub async fn finish(&self, token: Fence, outcome: impl IntoOutcome) -> Result<()> {
        let task = self.shared.store.get(token.task).await?.ok_or(Error::Lost)?;
        let outcome = self.shared.keep(&task, outcome.into_outcome()).await?;
        self.shared.policies.refresh_for(&task.kind).await?;
        let policy = self.shared.policies.of(&task.kind);
        let change = decide(&task, &policy, outcome, None, self.shared.runtime.random());
        let finish = Finish { fence: token, cause: Cause::Holder, change };
        match self.shared.store.finish(vec![finish]).await?.first() {
            Some(Finished::Accepted { .. }) => {
                self.shared.hints.ring(Hint::LookAll);
                if let Some(serial) = task.serial {
                    self.shared.hints.ring(Hint::Release(serial));
                }
                Ok(())
            }
            Some(Finished::Lost) | None => Err(Error::Lost),
        }
    }

    /// Stops taking tasks, lets runs end within the grace time, gives the rest back and leaves.
    pub async fn drain(&self) -> Result<Drained> {
        let (reply, answer) = oneshot::channel();
        if self.shared.handlers.is_empty() {
            return Ok(Drained::default());
        }
        self.news.send(News::Drain(self.shared.config.grace, reply)).map_err(|_| Error::Stopped)?;
        answer.await.map_err(|_| Error::Stopped)
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Engine").field("name", &self.shared.config.name).finish_non_exhaustive()
    }
}
