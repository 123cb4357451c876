//! The one worker of a stage: it takes a task, runs it and ends it, and may crash.

use super::ground::at_once;
use super::script::{Blow, Script};
use crate::runner::{self, End};
use crate::shared::Shared;
use std::sync::Arc;
use std::time::Duration;
use steadfast_core::seam::{Add, Birth, Cause, Finish, Grab, Look, Register};
use steadfast_core::{
    Bucket, Change, Demand, Fence, NewTask, Note, Offer, Outcome, Policy, Status, Task, WorkerId, decide,
};
use tokio_util::sync::CancellationToken;

/// Longer than any test: a stage's worker dies only by a crash.
const LEASE: Duration = Duration::from_secs(1_000_000_000);
/// More than any test has.
const ALL: usize = 1_000_000;

pub(crate) struct Worker {
    shared: Arc<Shared>,
    script: Arc<Script>,
}

impl Worker {
    pub(crate) fn new(shared: Arc<Shared>, script: Arc<Script>) -> Self {
        let worker = Self { shared, script };
        worker.register();
        worker
    }

    /// The next task, granted; none when nothing is ready.
    pub(crate) fn next(&self) -> Option<Task> {
        if let Some(task) = self.script.take_ejected() {
            return Some(task);
        }
        self.sweep();
        self.ready().into_iter().find_map(|(bucket, note)| self.grab(bucket, note))
    }

    /// Runs a granted task to its end, or to what befalls it.
    pub(crate) async fn run(&self, task: Task) {
        let (Some(fence), Some(handler)) = (task.fence(), self.shared.handlers.find(&task.kind).cloned())
        else {
            return;
        };
        let run = runner::run(
            self.shared.clone(),
            handler.clone(),
            Box::new(task.clone()),
            fence,
            CancellationToken::new(),
        );
        match self.script.follow(run).await {
            Ok(End::Said(change) | End::Stopped(change)) => self.finish(fence, change),
            Err(Blow::Fail(why)) => {
                let seed = self.shared.runtime.random();
                self.finish(fence, decide(&task, &handler.policy, Outcome::retry(why), None, seed));
            }
            Err(Blow::Crash) => self.crash(),
            Ok(End::Over(_)) | Err(Blow::Hang) => {}
        }
    }

    /// Hands the worker a task at once, past all others.
    pub(crate) fn bear(&self, new: NewTask) -> Option<Task> {
        let tasks = vec![(new, Policy::DEADLINE)];
        let births = Some(Birth { worker: self.script.worker(), tasks });
        let add = Add { births, ..Add::default() };
        at_once(self.shared.store.add(add)).born.pop()
    }

    /// Ends a run. If it is no longer ours, nothing is written.
    pub(crate) fn finish(&self, fence: Fence, change: Change) {
        let finish = Finish { fence, cause: Cause::Holder, change };
        if self.script.take_lost_reply() {
            // Who hears nothing says it again, and is refused by the fence.
            at_once(self.shared.store.finish(vec![finish.clone()]));
        }
        at_once(self.shared.store.finish(vec![finish]));
    }

    fn register(&self) {
        let (config, runtime) = (&self.shared.config, &self.shared.runtime);
        let worker = WorkerId::new(runtime.unix_ms(), [runtime.random(), runtime.random()]);
        let offer = Offer { slots: 1, kinds: self.shared.handlers.offered(), ..Offer::default() };
        let register =
            Register { worker, name: config.name.clone(), build: config.build, offer, lease: LEASE };
        at_once(self.shared.store.register(register));
        let kinds = self.shared.handlers.policies().unwrap_or_default();
        at_once(self.shared.store.declare(worker, config.build, kinds));
        self.script.set_worker(worker);
    }

    /// The next sweep finds what it held, as that of another worker would after its lease.
    fn crash(&self) {
        at_once(self.shared.store.retire(self.script.worker()));
        self.register();
    }

    /// Moves what time or a death has moved.
    fn sweep(&self) {
        let store = &self.shared.store;
        let strays = at_once(store.strays(self.script.worker(), ALL));
        at_once(store.finish(strays.iter().filter_map(|stray| self.shared.judge(stray)).collect()));
        at_once(store.due(ALL));
        at_once(store.release(None, None, ALL));
    }

    /// What is ready and has a handler, most urgent first.
    fn ready(&self) -> Vec<(Bucket, Note)> {
        let mut ready = Vec::new();
        for bucket in at_once(self.shared.store.buckets()) {
            let looked = at_once(self.shared.store.look(Look { bucket: bucket.clone(), n_max: ALL }));
            let ours =
                looked.notes.into_iter().filter(|note| self.shared.handlers.find(&note.kind).is_some());
            ready.extend(ours.map(|note| (bucket.clone(), note)));
        }
        ready.sort_by_key(|(_, note)| (note.priority, note.ready_at));
        ready
    }

    /// None from a bucket that is paused.
    fn grab(&self, bucket: Bucket, note: Note) -> Option<Task> {
        let deadline = self.shared.policies.of(&note.kind).deadline;
        let demand = Demand { kind: note.kind, priority: note.priority, lane: note.lane, n: 1 };
        let (worker, demands) = (self.script.worker(), vec![(demand, deadline)]);
        at_once(self.shared.store.grab(Grab { worker, bucket, demands, under: None, durable: true })).pop()
    }

    /// What a task is now; done, if nothing is kept of it.
    pub(crate) fn status(&self, task: &Task) -> Status {
        at_once(self.shared.store.get(task.id)).map_or(Status::Done, |task| task.status)
    }
}
