//! What a stage's engine stands on: time that the test moves, chance that repeats itself, waits that take no time.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;
use steadfast_core::seam::{Answer, Future};
use steadfast_core::{Clock, Runtime, Time};

/// When every stage begins: in November 2023.
const BEGIN: Time = Time::from_micros(1_700_000_000_000_000);
/// How often everybody else gets a turn before a wait of the engine's own is over.
const TURNS: usize = 64;

/// Clock and runtime of one stage. Clones are the same ground.
#[derive(Clone)]
pub(crate) struct Ground {
    now_us: Arc<AtomicI64>,
    chance: Arc<AtomicU64>,
}

impl Ground {
    pub(crate) fn new() -> Self {
        Self { now_us: Arc::new(AtomicI64::new(BEGIN.micros())), chance: Arc::default() }
    }

    /// Moves the clock. It never goes back.
    pub(crate) fn move_to(&self, time: Time) {
        self.now_us.fetch_max(time.micros(), Ordering::SeqCst);
    }
}

impl Clock for Ground {
    fn now(&self) -> Time {
        Time::from_micros(self.now_us.load(Ordering::SeqCst))
    }
}

impl Runtime for Ground {
    fn spawn(&self, future: Future<()>) {
        tokio::spawn(future);
    }

    fn threads(&self) -> usize {
        1
    }

    fn spawn_apart(&self, _: &str, future: Future<()>) {
        tokio::spawn(future);
    }

    /// The test's clock stands still while the engine waits, so the wait is over when everybody else had their turn.
    fn sleep(&self, _: Duration) -> Future<()> {
        Box::pin(async {
            for _ in 0..TURNS {
                tokio::task::yield_now().await;
            }
        })
    }

    fn monotonic(&self) -> Duration {
        self.now().since(BEGIN)
    }

    fn unix_ms(&self) -> u64 {
        u64::try_from(self.now().micros() / 1000).unwrap_or_default()
    }

    fn random(&self) -> u64 {
        // SplitMix64 from a fixed seed: every test sees the same chance.
        let next = self.chance.fetch_add(1, Ordering::SeqCst).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (next ^ (next >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

/// The answer of a call to the memory store, which takes no time.
///
/// # Panics
/// If the store refuses: the test asked for what no store can do.
#[track_caller]
pub(crate) fn at_once<T>(mut answer: Answer<'_, T>) -> T {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match answer.as_mut().poll(&mut context) {
        std::task::Poll::Ready(Ok(answer)) => answer,
        std::task::Poll::Ready(Err(error)) => panic!("the store of the stage: {error}"),
        std::task::Poll::Pending => {
            unreachable!("a call to the memory store is over when it is first polled")
        }
    }
}
