//! What a store must do. It is the truth; everything else is a hint.
//!
//! Calls are shaped for batches: the engine gathers, the store writes all of a call in one transaction. A call
//! that fails with [`StoreError::Unknown`] may have happened. Inside a batch each item has its own fate
//! ([`Saved`], [`Finished`], the results of `act`): one that is lost or refused does not spoil the rest.
//!
//! The memory store is this trait's specification; the shared suite of the testkit is its test.

use super::calls::{
    Add, Adds, Behind, Clean, Cleaned, Due, Eject, Finish, Finished, Grab, Look, Looked, Register, Released,
    Renew, Renewed, Save, Saved, Settled, Stray,
};
use super::commit::{Commit, Committed};
use super::rows::{Count, KindRow, Page, WorkerRow};
use crate::act::{Act, Acted};
use crate::cursor::Cursor;
use crate::error::{Refusal, StoreError};
use crate::filter::Filter;
use crate::finding::Finding;
use crate::id::{Receipt, TaskId, WorkerId};
use crate::kind::{Bucket, Kind};
use crate::new_task::Key;
use crate::payload::Payload;
use crate::policy::Policy;
use crate::task::Task;
use crate::time::Time;
use std::pin::Pin;

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

    /// How many batches of adds it can write at a time. Where there is one writer, a second batch would only wait for
    /// the first, and had better grow meanwhile.
    fn writers(&self) -> usize;

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

    /// Ends a run together with what its handler writes into the store's own database: both are committed, or neither.
    /// Fenced. After [`StoreError::Unknown`] a plain [`Store::finish`] finds out: it waits for the row, and is lost if
    /// this was committed.
    fn commit(&self, commit: Commit) -> Answer<'_, Committed>;

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

    /// Whether [`due_for`](Self::due_for) grants anything: if not, nobody need have room for it.
    fn grants_due(&self) -> bool {
        false
    }

    /// The same; but what comes due goes straight to the worker as far as its demands ask for it, and was never ready.
    /// None is granted while a more urgent one of its bucket is left to be ready. Nothing is granted from a bucket that
    /// is paused, or under limits of the cluster.
    fn due_for(&self, n_max: usize, _grab: Grab) -> Answer<'_, Due> {
        self.due(n_max)
    }

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
