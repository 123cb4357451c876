//! What may go wrong, and how often at most.

/// A small world: the same two processes and two tasks, with so many mishaps of each sort.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Scene {
    /// For people.
    pub name: &'static str,
    /// Whether callers add the tasks, or they are there from the start.
    pub adds: bool,
    /// What may go wrong.
    pub mishaps: Mishaps,
}

/// How often each thing may still go wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Mishaps {
    /// A process stands still past its lease and goes on. Once at most: which one it is makes no difference.
    pub freezes: u8,
    /// A process is gone for good.
    pub crashes: u8,
    /// A call's reply is lost: it never came, came, or will come late.
    pub cuts: u8,
    /// A hint comes when there is nothing to grab.
    pub hints: u8,
    /// A worker takes over what another runs.
    pub ejections: u8,
    /// A person ends what runs. Once at most, and only where tasks are alike: which one it is makes no difference.
    pub cancels: u8,
    /// The store is away for longer than a lease.
    pub outages: u8,
    /// The store goes on from a replica that lacks the last commits.
    pub failovers: u8,
}

const NONE: Mishaps =
    Mishaps { freezes: 0, crashes: 0, cuts: 0, hints: 0, ejections: 0, cancels: 0, outages: 0, failovers: 0 };

impl Scene {
    /// Runs are taken from workers that stand still, and from those that do not.
    pub const TAKEOVER: Self =
        Self::of("takeover", Mishaps { freezes: 1, cuts: 1, ejections: 1, cancels: 1, ..NONE });

    /// Hints come when there is nothing, and to workers that do not know that they are dead.
    pub const HINTS: Self = Self::of("hints", Mishaps { freezes: 1, hints: 1, ejections: 1, ..NONE });

    /// A worker dies for good, another stands still.
    pub const CRASH: Self = Self::of("crash", Mishaps { freezes: 1, crashes: 1, cuts: 1, ..NONE });

    /// The store is away, all leases end, everybody comes back.
    pub const OUTAGE: Self = Self::of("outage", Mishaps { outages: 1, cuts: 1, freezes: 1, ..NONE });

    /// The store forgets its last commits.
    pub const FAILOVER: Self = Self::of("failover", Mishaps { failovers: 1, ejections: 1, cuts: 1, ..NONE });

    /// Replies to adds are lost.
    pub const ADDING: Self =
        Self { adds: true, ..Self::of("adding", Mishaps { cuts: 1, freezes: 1, ..NONE }) };

    const fn of(name: &'static str, mishaps: Mishaps) -> Self {
        Self { name, adds: false, mishaps }
    }
}

impl Mishaps {
    /// Whether a call may still be held up on its way, or its sender fall silent.
    pub(crate) const fn can_hold_up(self) -> bool {
        self.freezes + self.crashes + self.cuts + self.outages + self.failovers > 0
    }
}
