//! A table of the user's own beside the tasks, which effects write to.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use steadfast_core::Outcome;
use steadfast_core::seam::Future;

/// What a store's effects write to, so that one suite can test the effects of all stores.
pub trait Ledger: Send + Sync {
    /// Effects that write one row and then say this, or fail.
    fn effects(&self, says: Result<Outcome, String>) -> Future<Outcome>;

    /// Rows that are committed.
    fn rows(&self) -> Future<usize>;
}

/// A ledger for the memory store: it counts.
#[derive(Debug, Default)]
pub struct Counter(Arc<AtomicUsize>);

impl Ledger for Counter {
    fn effects(&self, says: Result<Outcome, String>) -> Future<Outcome> {
        let rows = self.0.clone();
        let effects = steadfast_memory::effects(move || {
            let outcome = says?;
            rows.fetch_add(1, Ordering::SeqCst);
            Ok::<_, String>(outcome)
        });
        Box::pin(std::future::ready(effects))
    }

    fn rows(&self) -> Future<usize> {
        Box::pin(std::future::ready(self.0.load(Ordering::SeqCst)))
    }
}
