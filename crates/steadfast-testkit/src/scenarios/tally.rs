//! How often each task ran.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use steadfast::{Handler, New, Run};

/// Counts the runs of tasks that are numbers.
#[derive(Clone)]
pub(super) struct Tally(Arc<Vec<AtomicUsize>>);

impl Tally {
    /// Of so many tasks.
    pub(super) fn new(n: usize) -> Self {
        Self(Arc::new((0..n).map(|_| AtomicUsize::new(0)).collect()))
    }

    pub(super) fn task(n: usize) -> New {
        New::json("count", &n)
    }

    pub(super) fn handler(&self) -> Handler {
        let tally = self.clone();
        Handler::json("count", move |_: Run, n: usize| {
            tally.0[n].fetch_add(1, Ordering::SeqCst);
            async {}
        })
    }

    /// Each ran once.
    pub(super) fn check(&self) {
        let runs: Vec<usize> = self.0.iter().map(|runs| runs.load(Ordering::SeqCst)).collect();
        assert!(runs.iter().all(|runs| *runs == 1), "{runs:?}");
    }
}
