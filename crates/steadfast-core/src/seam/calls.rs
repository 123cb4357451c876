//! What the calls of a [`Store`](super::Store) are told and what they answer.

use crate::act::Guard;
use crate::change::Change;
use crate::cluster::ClusterPath;
use crate::grant::{Fence, Version};
use crate::id::{Receipt, TaskId, WorkerId};
use crate::kind::{Bucket, Kind, KindRange};
use crate::new_task::NewTask;
use crate::offer::Offer;
use crate::payload::Payload;
use crate::status::Status;
use crate::table::{Demand, Note};
use crate::task::Task;
use crate::time::Time;
use std::sync::Arc;
use std::time::Duration;

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
    /// Whether the first task of its key got its payload and time.
    pub replaced: bool,
    /// The status that it, or the task that it replaced, has now; of other repeats nothing follows from it.
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
    /// Where a round of [`Store::look_behind`](super::Store::look_behind) goes on; none when it is over.
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
    /// Whether it must outlive a crash of the server that answered. One that does not makes its tasks ready again while
    /// they still run, and the fence keeps those runs from writing anything: only kinds that run at most once mind.
    pub durable: bool,
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
    /// What is granted already, since somebody had room for it.
    pub granted: Vec<Task>,
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
