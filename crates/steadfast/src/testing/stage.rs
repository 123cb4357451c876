//! The stage as a test holds it.

use super::ground::Ground;
use super::mishap::Mishap;
use super::ran::Ran;
use super::script::{Place, Script, around};
use super::worker::Worker;
use crate::builder::{Builder, launch_idle};
use crate::engine::Engine;
use crate::error::Result;
use std::sync::Arc;
use std::time::Duration;
use steadfast_core::{Clock, Status, Task, Time};
use steadfast_memory::MemoryStore;

/// Calls of handlers after which a stage says that it will never be idle.
const RUNS_MAX: usize = 10_000;

/// Handlers on a store of their own, with time and mishaps in the hands of a test. It runs nothing by itself.
///
/// ```
/// use std::time::Duration;
/// use steadfast::testing::{Mishap, Stage};
/// use steadfast::{BoxError, Handler, New, Run, Status};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), BoxError> {
/// let mut stage = Stage::of(|builder| builder.register(Handler::of("pay", |_: Run| async {})))?;
/// stage.on_run("pay", 1, Mishap::Fail("no answer".into()));
///
/// stage.engine().add(New::kind("pay", "")).await?;
/// assert_eq!(stage.run_until_idle().await, [("pay", Status::Waiting)]);
/// // It is tried again when the delay of its policy has passed.
/// assert_eq!(stage.pass(Duration::from_secs(60)).await, [("pay", Status::Done)]);
/// # Ok(()) }
/// ```
pub struct Stage {
    pub(crate) engine: Engine,
    pub(crate) worker: Worker,
    script: Arc<Script>,
    ground: Ground,
    /// Tasks of which the store kept nothing, or no payload, as they were when they were run.
    pub(crate) kept: Vec<Task>,
}

impl Stage {
    /// A stage with the handlers, interceptors and settings that the program gives its builder. To be called inside a
    /// tokio runtime, as a `#[tokio::test]` is.
    ///
    /// # Errors
    /// Settings or handlers that contradict themselves.
    pub fn of(program: impl FnOnce(Builder) -> Builder) -> Result<Self> {
        let (ground, script) = (Ground::new(), Arc::<Script>::default());
        let store = Arc::new(MemoryStore::new(Arc::new(ground.clone())));
        let builder = Builder::on(store.clone(), store).around(around);
        let shared = program(builder).runtime(Arc::new(ground.clone())).share()?;
        let worker = Worker::new(shared.clone(), script.clone());
        Ok(Self { engine: launch_idle(shared), worker, script, ground, kept: Vec::new() })
    }

    /// The engine, for the code that is tested. It adds, acts, finishes by token and answers questions; only the stage
    /// runs tasks, so it ejects none.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// What time it is here. It stands still until it is let [pass](Self::pass).
    pub fn now(&self) -> Time {
        self.ground.now()
    }

    /// Runs what is ready, and what that adds, one at a time and the most urgent first, until nothing is. Says what ran,
    /// in its order.
    ///
    /// # Panics
    /// After 10,000 calls of handlers: something goes on for ever.
    pub async fn run_until_idle(&mut self) -> Vec<Ran> {
        let mut all = Vec::new();
        while let Some(task) = self.worker.next() {
            all.append(&mut self.run(task).await);
            let last = all.last().map(ToString::to_string).unwrap_or_default();
            assert!(
                all.len() < RUNS_MAX,
                "the stage is not idle after {RUNS_MAX} calls of handlers; the last: {last}"
            );
        }
        all
    }

    /// Lets time pass, and runs at its time all that comes due meanwhile. Says what ran.
    ///
    /// # Panics
    /// As [`run_until_idle`](Self::run_until_idle).
    pub async fn pass(&mut self, time: Duration) -> Vec<Ran> {
        let until = self.now().after(time);
        let mut ran = self.run_until_idle().await;
        while let Some(next) = self.next_time().filter(|next| *next <= until) {
            self.ground.move_to(next);
            ran.append(&mut self.run_until_idle().await);
        }
        self.ground.move_to(until);
        ran
    }

    /// Lets a mishap happen to a run of a kind, counted from one over all its tasks; a step that follows at once counts
    /// as another. A crash and a lost reply come when the handler has said its outcome, everything else before it is
    /// called.
    pub fn on_run(&mut self, kind: impl Into<String>, run: usize, mishap: Mishap) {
        self.script.plan(Place::Run(kind.into(), run), mishap);
    }

    /// Lets a mishap happen when a point is passed the next time. Points are named by handlers
    /// ([`Run::point`](crate::Run::point)); every run passes `run.begin` and `run.end`, and those that do so
    /// `run.add` and `run.save` when it is done.
    pub fn at_point(&mut self, point: impl Into<String>, mishap: Mishap) {
        self.script.plan(Place::Point(point.into()), mishap);
    }

    /// The points that runs have passed, each once, in the order of their first passing.
    pub fn points(&self) -> Vec<String> {
        self.script.points()
    }

    async fn run(&mut self, task: Task) -> Vec<Ran> {
        let before = self.engine.get(task.id).await.ok().flatten();
        self.worker.run(task.clone()).await;
        let mut ran = self.script.take_ran();
        if let Some(last) = ran.last_mut() {
            last.status = self.worker.status(&task);
        }
        self.keep(before);
        ran
    }

    /// When something happens next that only time brings.
    fn next_time(&self) -> Option<Time> {
        let time = |task: &Task| match task.status {
            Status::Running => task.deadline_at,
            Status::Waiting | Status::Held | Status::Parked => Some(task.due_at),
            _ => None,
        };
        let now = self.now();
        self.tasks().iter().filter_map(time).filter(|time| *time > now).min()
    }
}

impl std::fmt::Debug for Stage {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Stage").field("now", &self.now()).finish_non_exhaustive()
    }
}
