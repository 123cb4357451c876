//! Named points at which a trial may kill or stop the process.
//!
//! Stores pass `*.sent` when the statements ran and nothing is committed; the engine passes the others. Where one
//! statement is the whole transaction, on PostgreSQL, there is no such moment in the worker: the point is passed
//! just before the statement goes out. So a trial kills or stops inside a transaction wherever there is one, and at
//! its door where there is none. With no hook set a point costs one relaxed load.

use std::sync::OnceLock;

/// A place in the protocol where a crash matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Point {
    /// The rows of an add are written and not committed.
    AddSent,
    /// An add is committed and its caller does not know.
    AddCommitted,
    /// The limits of the cluster are counted for a grab and nothing is taken yet.
    LimitLocked,
    /// The rows of a grab are changed and not committed.
    GrabSent,
    /// A grab is committed and no handler has started.
    GrabCommitted,
    /// A handler is about to start.
    RunStarted,
    /// The row of a parked run is changed and not committed.
    ParkSent,
    /// The rows of a finish are changed and not committed.
    FinishSent,
    /// A finish is committed and the worker does not know.
    FinishCommitted,
    /// A lease is renewed and not committed.
    RenewSent,
    /// Dead workers are marked and their tasks not yet taken.
    ReapMarked,
    /// Serial heads are moved and not committed.
    ReleaseSent,
    /// A receipt is written and not committed.
    SettleSent,
}

impl Point {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::AddSent,
        Self::AddCommitted,
        Self::LimitLocked,
        Self::GrabSent,
        Self::GrabCommitted,
        Self::RunStarted,
        Self::ParkSent,
        Self::FinishSent,
        Self::FinishCommitted,
        Self::RenewSent,
        Self::ReapMarked,
        Self::ReleaseSent,
        Self::SettleSent,
    ];

    /// Its name on the command line of a trial.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AddSent => "add.sent",
            Self::AddCommitted => "add.committed",
            Self::LimitLocked => "limit.locked",
            Self::GrabSent => "grab.sent",
            Self::GrabCommitted => "grab.committed",
            Self::RunStarted => "run.started",
            Self::ParkSent => "park.sent",
            Self::FinishSent => "finish.sent",
            Self::FinishCommitted => "finish.committed",
            Self::RenewSent => "renew.sent",
            Self::ReapMarked => "reap.marked",
            Self::ReleaseSent => "release.sent",
            Self::SettleSent => "settle.sent",
        }
    }
}

static HOOK: OnceLock<Box<dyn Fn(Point) + Send + Sync>> = OnceLock::new();

/// Sets what happens at each point, once for the process. Only trials call this.
pub fn set(hook: impl Fn(Point) + Send + Sync + 'static) {
    // A second hook would silently replace the trial's own: the first one stays.
    let _ = HOOK.set(Box::new(hook));
}

/// Passes a point.
#[inline]
pub fn pass(point: Point) {
    if let Some(hook) = HOOK.get() {
        hook(point);
    }
}
