//! Time that stands still until a test moves it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use steadfast_core::{Clock, Time};

/// A clock that a test moves.
#[derive(Debug)]
pub struct TestClock(AtomicI64);

impl TestClock {
    /// A clock that stands at some moment of the year 2023.
    pub fn new() -> Arc<Self> {
        Arc::new(Self(AtomicI64::new(1_700_000_000_000_000)))
    }

    /// Lets time pass.
    pub fn pass(&self, wait: Duration) {
        let micros = i64::try_from(wait.as_micros()).expect("a test does not wait for ages");
        self.0.fetch_add(micros, Ordering::SeqCst);
    }
}

impl Clock for TestClock {
    fn now(&self) -> Time {
        Time::from_micros(self.0.load(Ordering::SeqCst))
    }
}
