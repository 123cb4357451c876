//! What a store must do. It is the truth; everything else is a hint.
//!
//! Calls are shaped for batches: the engine gathers, the store writes all of a call in one transaction. A call
//! that fails with [`StoreError::Unknown`] may have happened. Inside a batch each item has its own fate
//! ([`Saved`], [`Finished`], the results of `act`): one that is lost or refused does not spoil the rest.
//!
//! The memory store is this trait's specification; the shared suite of the testkit is its test.

use crate::act::{Act, Acted, Guard};
use crate::change::Change;
use crate::cluster::ClusterPath;
use crate::cursor::Cursor;
use crate::error::{Refusal, StoreError};
use crate::filter::Filter;
use crate::finding::Finding;
use crate::grant::{Fence, Version};
use crate::id::{Receipt, TaskId, WorkerId};
use crate::kind::{Bucket, Kind, KindRange};
use crate::new_task::{Key, NewTask};
use crate::offer::Offer;
use crate::payload::Payload;
use crate::policy::Policy;
use crate::status::Status;
use crate::table::{Demand, Note};
use crate::task::Task;
use crate::time::Time;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// Most kinds that one [`Store::look_behind`] visits.
pub const BEHIND_KINDS_MAX: usize = 64;

/// Most buckets that a worker serves.
pub const BUCKETS_MAX: usize = 100;

/// A store's answer on its way.
pub type Answer<'a, T> = Pin<Box<dyn std::future::Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Keeps tasks. A call is one transaction; inside a batch each item has its own fate. A call that fails with
/// [`StoreError::Unknown`] may have happened.
pub trait Store: std::any::Any + Send + Sync {
    /// Whether a reply can be lost on its way, so that batches with adds need a [`Receipt`].
    fn loses_replies(&self) -> bool;

    /// The version of the schema, to which the store was brought when it was opened; none if it has no schema.
    fn schema(&self) -> Option<usize>;

    /// Adds tasks. Refuses the whole batch if its receipt was used before; the engine has checked the tasks.
    fn add(&self, add: Add) -> Answer<'_, Adds>;

    /// What is ready in a bucket, in the claim's order, without taking it.
    fn look(&self, look: Look) -> Answer<'_, Looked>;

    /// What is ready of a worker's own kinds, kind by kind, when a look saw only what it cannot take. Visits a
    /// bounded number of kinds, one seek each, whatever else is in the bucket.
    fn look_behind(&self, behind: Behind) -> Answer<'_, Looked>;

    /// The buckets in which anything is ready, at most [`BUCKETS_MAX`]: a kind may have changed its bucket, and what
    /// was added before is served until it is gone.
    fn buckets(&self) -> Answer<'_, Vec<Bucket>>;

    /// Pauses a bucket or lets it go on. Nothing is grabbed from a paused one; what runs there goes on.
    fn pause_bucket(&self, bucket: Bucket, paused: bool) -> Answer<'_, ()>;

    /// The buckets that are paused, in order of their names.
    fn paused_buckets(&self) -> Answer<'_, Vec<Bucket>>;

    /// Takes what the demands ask for, as far as it is there: each task gets a new grant. Never waits for a
    /// task that somebody else is taking.
    fn grab(&self, grab: Grab) -> Answer<'_, Vec<Task>>;

    /// Reads the payload of a task that came without it; none if the task is gone.
    fn payload(&self, id: TaskId) -> Answer<'_, Option<Payload>>;

    /// Ends runs: done, waiting for another try, parked, given back. Each is fenced.
    fn finish(&self, finishes: Vec<Finish>) -> Answer<'_, Vec<Finished>>;

    /// Writes down where runs stand. Each is fenced; the grant stays.
    fn save(&self, saves: Vec<Save>) -> Answer<'_, Vec<Saved>>;

    /// What people do to tasks. Each is guarded by what its actor saw.
    fn act(&self, acts: Vec<Act>) -> Answer<'_, Vec<Result<Acted, Refusal>>>;

    /// Takes a running or parked task over at once, with a change, and recalls the old run.
    fn eject(&self, eject: Eject) -> Answer<'_, Result<Task, Refusal>>;

    /// A worker starts. Its lease begins.
    fn register(&self, register: Register) -> Answer<'_, Time>;

    /// A worker lives. Dead is final: no renew brings it back.
    fn renew(&self, renew: Renew) -> Answer<'_, Renewed>;

    /// A worker leaves: from now on it is dead. What it still holds is anybody's to reap.
    fn retire(&self, worker: WorkerId) -> Answer<'_, ()>;

    /// All that a worker holds as running.
    fn held(&self, worker: WorkerId) -> Answer<'_, Vec<Task>>;

    /// Marks workers whose lease ended as dead, then lists up to `n_max` tasks that need a sweep: running without a
    /// live holder, running past the deadline, parked past their time. Without payloads.
    ///
    /// A worker whose own lease ended marks nobody: if the clock jumped, or the machine slept, all leases ended
    /// at once and nobody is dead.
    fn strays(&self, by: WorkerId, n_max: usize) -> Answer<'_, Vec<Stray>>;

    /// Makes up to `n_max` waiting tasks ready whose time has come.
    fn due(&self, n_max: usize) -> Answer<'_, Due>;

    /// Lets the next task of each serial key without a head come forward. Without keys: of up to `n_max` keys
    /// after `after`, for the sweep.
    fn release(&self, keys: Option<Vec<String>>, after: Option<String>, n_max: usize)
    -> Answer<'_, Released>;

    /// Finds out what became of a batch whose reply was lost, and makes sure that it cannot happen later.
    fn settle(&self, receipt: Receipt) -> Answer<'_, Settled>;

    /// One task, living or in the history, with its payload.
    fn get(&self, id: TaskId) -> Answer<'_, Option<Task>>;

    /// Which task a key names.
    fn look_up(&self, key: Key) -> Answer<'_, Option<TaskId>>;

    /// A page of tasks in order of their ids, newest first, without payloads.
    fn find(&self, filter: Filter, after: Option<Cursor>, n_max: usize) -> Answer<'_, Page>;

    /// How many tasks there are, by kind and status.
    fn count(&self, filter: Filter) -> Answer<'_, Vec<Count>>;

    /// Removes what is past its time, at most `n_max` rows of each sort.
    fn clean(&self, clean: Clean) -> Answer<'_, Cleaned>;

    /// Writes the policies of kinds that a program handles: not over those of a newer build, unless that
    /// build's last writer has no live row.
    fn declare(&self, worker: WorkerId, build: i64, kinds: Vec<(Kind, Policy)>) -> Answer<'_, ()>;

    /// The policies of all kinds.
    fn kinds(&self) -> Answer<'_, Vec<KindRow>>;

    /// The workers, dead ones too until they are cleaned.
    fn workers(&self) -> Answer<'_, Vec<WorkerRow>>;

    /// The store's clock.
    fn now(&self) -> Answer<'_, Time>;

    /// Looks at the store's own health: its settings, its schema, its files.
    fn check(&self) -> Answer<'_, Vec<Finding>>;
}

/// A batch of adds.
#[derive(Debug, Clone, Default)]
pub struct Add {
    /// To be added ready, waiting or held.
    pub tasks: Vec<NewTask>,
    /// To be added as running on the worker that adds them: no key, no serial key, due at once.
    pub births: Option<Birth>,
    /// Written first, so that a repeat of the batch dies on it.
    pub receipt: Option<Receipt>,
}

/// Tasks that skip the grab.
#[derive(Debug, Clone)]
pub struct Birth {
    /// Who adds and runs them.
    pub worker: WorkerId,
    /// The tasks, each with its policy's deadline.
    pub tasks: Vec<(NewTask, Duration)>,
}

/// What became of a batch of adds.
#[derive(Debug, Clone)]
pub struct Adds {
    /// The store's clock.
    pub now: Time,
    /// One for each of [`Add::tasks`], in their order.
    pub added: Vec<Added>,
    /// One for each birth, in their order, as granted.
    pub born: Vec<Task>,
}

/// What became of one add.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Added {
    /// The task's id; of the first task if the key was taken.
    pub id: TaskId,
    /// Whether it is new.
    pub fresh: bool,
    /// The status it was added with; of a repeat, nothing follows from it.
    pub status: Status,
    /// When it may run.
    pub due_at: Time,
}

/// What to look at.
#[derive(Debug, Clone)]
pub struct Look {
    /// Which bucket.
    pub bucket: Bucket,
    /// How many tasks to read ahead.
    pub n_max: usize,
}

/// Where to look when full kinds, or kinds of others, fill the window.
#[derive(Debug, Clone)]
pub struct Behind {
    /// Which bucket.
    pub bucket: Bucket,
    /// How many tasks to read ahead, shared out among the kinds that are found.
    pub n_max: usize,
    /// The worker's own kinds, in order and without overlap.
    pub ranges: Arc<[KindRange]>,
    /// Those among them that are full.
    pub skip: Vec<Kind>,
    /// Where the round goes on; with many kinds it takes several looks.
    pub after: Option<Kind>,
}

/// What a look saw.
#[derive(Debug, Clone, Default)]
pub struct Looked {
    /// What is ready.
    pub notes: Vec<Note>,
    /// Whether there is more than was read.
    pub more: bool,
    /// Where a round of [`Store::look_behind`] goes on; none when it is over.
    pub after: Option<Kind>,
    /// How long until the next waiting task of any bucket is due.
    pub due_in: Option<Duration>,
}

/// What to take.
#[derive(Debug, Clone)]
pub struct Grab {
    /// For whom.
    pub worker: WorkerId,
    /// From which bucket.
    pub bucket: Bucket,
    /// How many of what, each with its kind's deadline.
    pub demands: Vec<(Demand, Duration)>,
    /// The limits of the cluster under which all of these stand: no more are taken than they have room for.
    pub under: Option<ClusterPath>,
}

/// The end of a run.
#[derive(Debug, Clone)]
pub struct Finish {
    /// Whose run.
    pub fence: Fence,
    /// Why it ends: its holder says so, or a sweep takes it away.
    pub cause: Cause,
    /// What becomes of it.
    pub change: Change,
}

/// Why a run ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// Its holder says so, or somebody shows its token.
    Holder,
    /// Its worker is dead. Refused if the worker has a live row after all.
    Dead,
    /// It is past its deadline, or parked past its time. Refused if it was extended; the run is recalled.
    Overdue,
}

/// Whether a finish was accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Finished {
    /// It was. The task's status and, if it is to run again, its time.
    Accepted {
        /// Its status now.
        status: Status,
        /// When it may run.
        due_at: Time,
    },
    /// The fence did not match: the run is no longer its holder's, nothing was written.
    Lost,
}

/// Where a run stands. What is none stays as it is.
#[derive(Debug, Clone)]
pub struct Save {
    /// Whose run.
    pub fence: Fence,
    /// The step it reached. A step or payload counts as a change that outsiders see.
    pub step: Option<String>,
    /// What it goes on with.
    pub payload: Option<Payload>,
    /// What it reports.
    pub progress: Option<String>,
    /// A new deadline, from the store's clock.
    pub deadline: Option<Duration>,
    /// Its failures are forgotten: it made progress.
    pub progressed: bool,
}

/// Whether a save was accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Saved {
    /// It was; the task's version now.
    Kept(Version),
    /// The fence did not match: nothing was written.
    Lost,
}

/// A takeover.
#[derive(Debug, Clone)]
pub struct Eject {
    /// Which task.
    pub id: TaskId,
    /// What the ejecting worker saw.
    pub guard: Guard,
    /// Who takes it.
    pub worker: WorkerId,
    /// How long its run may take.
    pub deadline: Duration,
    /// Another step; none leaves it as it is.
    pub step: Option<String>,
    /// Another payload; none leaves it as it is.
    pub payload: Option<Payload>,
}

/// A worker at its start.
#[derive(Debug, Clone)]
pub struct Register {
    /// Its id, new at every start.
    pub worker: WorkerId,
    /// Its name, for people.
    pub name: String,
    /// Its program's version, as a number that rises.
    pub build: i64,
    /// What it takes on.
    pub offer: Offer,
    /// How long it counts as alive without a renew.
    pub lease: Duration,
}

/// A sign of life.
#[derive(Debug, Clone)]
pub struct Renew {
    /// Whose.
    pub worker: WorkerId,
    /// How long it counts as alive from now on.
    pub lease: Duration,
    /// Recalls that it has dealt with.
    pub handled: Vec<Fence>,
}

/// What a worker hears when it renews.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Renewed {
    /// It lives.
    Alive {
        /// The store's clock.
        now: Time,
        /// Runs that were taken from it and that it has not dealt with.
        recalls: Vec<Fence>,
        /// How many tasks it holds as running.
        running: usize,
    },
    /// It was declared dead, or never registered: whatever it holds is lost.
    Dead,
}

/// A task that a sweep has to move.
#[derive(Debug, Clone)]
pub struct Stray {
    /// The task, with its fence.
    pub task: Task,
    /// Why.
    pub cause: Cause,
}

/// What came due.
#[derive(Debug, Clone, Default)]
pub struct Due {
    /// What is ready now, by bucket.
    pub notes: Vec<(Bucket, Note)>,
    /// How long until the next one; zero if there were more than `n_max`.
    pub next_in: Option<Duration>,
}

/// What came forward.
#[derive(Debug, Clone, Default)]
pub struct Released {
    /// What is ready now, by bucket.
    pub notes: Vec<(Bucket, Note)>,
    /// How long until the first of those that came forward before their time.
    pub due_in: Option<Duration>,
    /// Where the sweep goes on; none when it has seen all keys.
    pub after: Option<String>,
}

/// What became of a batch whose reply was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// It was committed.
    Committed,
    /// It never happened, and never can.
    Never,
}

/// A page of tasks.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// The tasks.
    pub tasks: Vec<Task>,
    /// Where the next page starts; none when this was the last.
    pub next: Option<Cursor>,
}

/// How many tasks of a kind have a status.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Count {
    /// Which kind.
    pub kind: Kind,
    /// Which status.
    pub status: Status,
    /// How many.
    pub n: u64,
}

/// What to remove.
#[derive(Debug, Clone)]
pub struct Clean {
    /// Ended tasks older than this.
    pub history: Duration,
    /// Receipts older than this.
    pub receipts: Duration,
    /// Dead workers whose lease ended longer ago than this.
    pub workers: Duration,
    /// Most rows of each sort.
    pub n_max: usize,
}

/// How much was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cleaned {
    /// Ended tasks.
    pub history: usize,
    /// Keys past their window.
    pub keys: usize,
    /// Receipts.
    pub receipts: usize,
    /// Dead workers that hold nothing.
    pub workers: usize,
    /// Recalls of workers that are gone.
    pub recalls: usize,
}

/// A kind as declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KindRow {
    /// Which kind.
    pub kind: Kind,
    /// Its rules.
    pub policy: Policy,
    /// The build that wrote them.
    pub build: i64,
    /// Who wrote them last.
    pub worker: WorkerId,
}

/// A worker as registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerRow {
    /// Its id.
    pub worker: WorkerId,
    /// Its name.
    pub name: String,
    /// Its program's version.
    pub build: i64,
    /// What it takes on.
    pub offer: Offer,
    /// Until when it counts as alive.
    pub lease_until: Time,
    /// Whether it was declared dead.
    pub dead: bool,
}

impl WorkerRow {
    /// Whether it counts as alive: nobody declared it dead, and its lease holds up to its very end.
    pub fn is_alive(&self, now: Time) -> bool {
        !self.dead && self.lease_until >= now
    }
}
