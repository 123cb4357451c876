//! Word between workers. A hint may be lost, repeated, late or out of order; only latency may suffer.

use crate::id::WorkerId;
use crate::kind::{Bucket, Kind};
use crate::priority::Priority;
use crate::time::Time;
use std::sync::{Arc, Mutex, PoisonError};

/// What a worker lets the others know.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hint {
    /// Something may be ready, or due earlier than before, in a bucket. Whoever rang knows already.
    Look {
        /// Which bucket.
        bucket: Bucket,
        /// Which engine rang.
        from: u64,
    },
    /// Tasks of one kind became ready: whoever handles it may grab without a look. Whoever rang knows already.
    Ready {
        /// Which bucket.
        bucket: Bucket,
        /// Which kind.
        kind: Kind,
        /// How urgent.
        priority: Priority,
        /// Since when, by the store's clock.
        ready_at: Time,
        /// How many.
        n: usize,
        /// Which engine rang.
        from: u64,
    },
    /// Something changed; nobody knows where.
    LookAll,
    /// A run was taken from this worker.
    Recall(WorkerId),
    /// A serial key may have lost its head.
    Release(String),
}

/// Carries hints to all workers of a store, the sender included.
pub trait Hints: Send + Sync + 'static {
    /// Sends a hint, without waiting and without a promise.
    fn ring(&self, hint: Hint);

    /// Calls `ear` for every hint from now on, until the ear is dropped by whoever keeps it.
    fn listen(&self, ear: Ear);
}

/// Gets hints. Answers false when it will not listen any more.
pub type Ear = Box<dyn Fn(Hint) -> bool + Send + Sync>;

/// Those who listen in one process. Stores keep one of these.
#[derive(Default, Clone)]
pub struct Ears(Arc<Mutex<Vec<Ear>>>);

impl Ears {
    /// Tells everybody, and forgets those who left.
    pub fn ring(&self, hint: &Hint) {
        let mut ears = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        ears.retain(|ear| ear(hint.clone()));
    }

    /// One more listens.
    pub fn listen(&self, ear: Ear) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(ear);
    }
}

impl std::fmt::Debug for Ears {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Ears")
    }
}
