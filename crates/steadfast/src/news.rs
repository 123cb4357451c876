//! What the dispatcher hears. One loop owns the engine's state; everybody else sends it these.

use crate::error::Result;
use crate::runner::End;
use std::time::Duration;
use steadfast_core::seam::{Added, Adds, Due, Finish, Finished, Looked, Save, Saved};
use steadfast_core::{
    Bucket, Demand, Fence, Guard, Hint, Kind, NewTask, Note, Payload, Refusal, StoreError, Task, TaskId,
    WorkerId,
};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

/// A caller's wish to add, with the way to answer it.
pub(crate) enum Adding {
    One(Box<NewTask>, oneshot::Sender<Result<Added>>),
    Many(Vec<NewTask>, oneshot::Sender<Result<Vec<Added>>>),
}

/// A run's wish to write down where it stands.
pub(crate) struct Saving {
    pub(crate) save: Save,
    pub(crate) reply: oneshot::Sender<Result<Saved>>,
}

/// A caller's wish to take a task over.
pub(crate) struct Ejecting {
    pub(crate) id: TaskId,
    pub(crate) guard: Guard,
    pub(crate) kind: Kind,
    /// The run that it is taken from.
    pub(crate) from: Option<Fence>,
    pub(crate) step: Option<String>,
    pub(crate) payload: Option<Payload>,
    pub(crate) reply: oneshot::Sender<Result<Task>>,
}

pub(crate) enum News {
    /// Somebody rang.
    Hint(Hint),
    /// This worker made tasks ready.
    Notes(Vec<(Bucket, Note)>),
    /// It is time to ask for what has come due.
    AskDue,
    /// What came due, with what slots were booked for.
    CameDue(Flight, Vec<(Bucket, Demand)>, Result<Due, StoreError>),
    /// It is time to look at the store whatever the hints said, in these buckets too.
    Sweep(Vec<Bucket>),
    /// These buckets are paused, and no others.
    Paused(Vec<Bucket>),
    /// An add came back.
    Added(Flight, Result<Adds, StoreError>),
    /// A look came back.
    Looked(Bucket, Result<Looked, StoreError>),
    /// A grab came back.
    Grabbed(Bucket, Flight, Vec<Demand>, Result<Vec<Task>, StoreError>),
    /// Somebody wants a task taken over.
    Eject(Box<Ejecting>),
    /// An ejection came back.
    Ejected(Flight, Box<Ejecting>, Result<Box<Result<Task, Refusal>>, StoreError>),
    /// A kind that the cluster or its book had no room for may ask again.
    Open(Bucket, Kind),
    /// Adds were held back for long enough.
    HoldOver,
    /// Some kind that was too fast may go on.
    Tokens,
    /// Runs ended.
    Ended(Vec<(Fence, End)>),
    /// Finishes came back.
    Finished(Vec<Finish>, Result<Vec<Finished>, StoreError>),
    /// A run says where it stands.
    Save(Box<Saving>),
    /// Saves came back.
    Saved(Vec<Saving>, Result<Vec<Saved>, StoreError>),
    /// The lease changed.
    Lease(Lease),
    /// What the store says this worker holds; none if it did not say.
    Held(WorkerId, Option<Vec<Task>>),
    /// A release came back, with the keys that are still to be released.
    Released(Vec<String>),
    /// Stop taking tasks and end the runs within the grace time.
    Drain(Duration, oneshot::Sender<Drained>),
    /// The grace time is over.
    GraceOver,
    /// Runs that did not stop when told to are left behind.
    GiveUp,
    /// The worker's row is marked as gone.
    Retired,
}

impl News {
    /// Tells the dispatcher what this worker made ready. It tells the others, if they are needed.
    pub(crate) fn tell_ready(to: &UnboundedSender<Self>, notes: Vec<(Bucket, Note)>) {
        if !notes.is_empty() {
            let _ = to.send(Self::Notes(notes));
        }
    }
}

/// The number of a call that may grant tasks, in order of sending.
pub(crate) type Flight = u64;

/// News of the worker's lease. Ends are by the monotonic clock, taken before the call was sent.
pub(crate) enum Lease {
    Registered {
        worker: WorkerId,
        ends: Duration,
    },
    Renewed {
        ends: Duration,
        recalls: Vec<Fence>,
        running: usize,
    },
    /// No renew got through: the runs must stop before the lease ends.
    AtRisk,
    /// Somebody declared the worker dead.
    Dead,
}

/// How a drain ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[must_use]
pub struct Drained {
    /// Runs that were given back, their attempt not counted.
    pub given_back: usize,
    /// Runs that did not stop; others take them over when this worker is gone.
    pub left_behind: usize,
}
