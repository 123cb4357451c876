//! A runtime on which no time passes: how long a run took decides nothing there.

use crate::random::Random;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use steadfast_core::Runtime;
use steadfast_core::seam::Future;

/// Numbers drawn so far, by all engines: two on one database must not have the same id.
static DRAWN: AtomicU64 = AtomicU64::new(0);

/// Spawns on tokio, and takes every run for a quick one. On a busy machine a run may be off the processor for longer than
/// the engine waits for a quick one, and its like would then run on their own, which costs more.
pub(super) struct Still;

impl Runtime for Still {
    fn spawn(&self, future: Future<()>) {
        tokio::spawn(future);
    }

    fn threads(&self) -> usize {
        1
    }

    fn spawn_apart(&self, _: &str, future: Future<()>) {
        tokio::spawn(future);
    }

    fn sleep(&self, wait: Duration) -> Future<()> {
        Box::pin(tokio::time::sleep(wait))
    }

    fn monotonic(&self) -> Duration {
        Duration::ZERO
    }

    fn unix_ms(&self) -> u64 {
        // Ids rise, as they do where time passes: an index takes them at its end.
        DRAWN.load(Ordering::Relaxed)
    }

    fn random(&self) -> u64 {
        Random::new(DRAWN.fetch_add(1, Ordering::Relaxed)).next()
    }
}
