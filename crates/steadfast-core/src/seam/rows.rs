//! What people and other workers read of a [`Store`](super::Store).

use crate::cursor::Cursor;
use crate::id::WorkerId;
use crate::kind::Kind;
use crate::offer::Offer;
use crate::policy::Policy;
use crate::status::Status;
use crate::task::Task;
use crate::time::Time;

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
