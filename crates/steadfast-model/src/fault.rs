//! Faults that others made, planted one at a time: each must be found, or the model shows nothing.

use crate::scene::Scene;

/// One thing that the protocol must not do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// A holder's write names the task and the worker, but not the grant.
    FinishWithoutGrant,
    /// A holder's write names the task and the grant, but not the worker.
    FinishWithoutWorker,
    /// A sweep takes what a worker holds when it is marked dead, and never looks again.
    ReapByEvent,
    /// A renew brings a dead worker back.
    RenewAfterDead,
    /// A holder's write names the attempt instead of the grant.
    AttemptAsFence,
    /// Effects are committed although the finish beside them found no row.
    EffectsWithoutFinish,
    /// A key is forgotten with the row of its task.
    RepeatAfterDelete,
    /// Whoever has renewed once after an outage reaps all others.
    ReapAfterOutage,
}

impl Fault {
    /// Where it shows.
    pub const fn scene(self) -> Scene {
        match self {
            Self::FinishWithoutGrant
            | Self::ReapByEvent
            | Self::RenewAfterDead
            | Self::EffectsWithoutFinish => Scene::TAKEOVER,
            Self::FinishWithoutWorker => Scene::FAILOVER,
            Self::AttemptAsFence | Self::ReapAfterOutage => Scene::OUTAGE,
            Self::RepeatAfterDelete => Scene::ADDING,
        }
    }
}
