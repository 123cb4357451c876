//! The engine's ground in real life: tokio, the host's clocks, the host's randomness.

use std::cell::Cell;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use steadfast_core::Runtime;
use steadfast_core::seam::Future;
use tokio::runtime::Handle;

/// Spawns on the tokio runtime that the engine was started in.
pub(crate) struct TokioRuntime {
    handle: Handle,
    start: Instant,
}

impl TokioRuntime {
    /// Must be called inside a tokio runtime.
    pub(crate) fn current() -> Self {
        Self { handle: Handle::current(), start: Instant::now() }
    }
}

impl Runtime for TokioRuntime {
    fn spawn(&self, future: Future<()>) {
        self.handle.spawn(future);
    }

    fn threads(&self) -> usize {
        self.handle.metrics().num_workers()
    }

    fn spawn_apart(&self, name: &str, future: Future<()>) {
        let apart = std::thread::Builder::new().name(name.to_owned()).spawn(move || {
            match tokio::runtime::Builder::new_current_thread().enable_time().build() {
                Ok(runtime) => runtime.block_on(future),
                Err(error) => tracing::error!(%error, "no runtime for a thread of its own"),
            }
        });
        if let Err(error) = apart {
            tracing::error!(%error, name, "no thread of its own");
        }
    }

    fn sleep(&self, wait: Duration) -> Future<()> {
        Box::pin(tokio::time::sleep(wait))
    }

    fn monotonic(&self) -> Duration {
        self.start.elapsed()
    }

    fn unix_ms(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }

    fn random(&self) -> u64 {
        thread_local! {
            /// Seeded once a thread by the standard library's own randomness.
            static STATE: Cell<u64> = Cell::new(RandomState::new().hash_one(std::process::id()));
        }
        // SplitMix64: ids need to be unlike each other, not secret.
        STATE.with(|state| {
            let next = state.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
            state.set(next);
            let mixed = (next ^ (next >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed ^ (mixed >> 31)
        })
    }
}
