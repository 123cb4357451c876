//! Where the engines of a scenario live.

use crate::ledger::Ledger;
use std::any::Any;
use std::sync::Arc;
use std::time::Duration;
use steadfast::Builder;
use steadfast::core::seam::{Ear, Future, Hint, Hints};
use steadfast::core::{Outcome, Store};

/// Longer than a machine under test may stand still: then a run has its grant for sure. Scenarios of sweeps take less.
const LEASE: Duration = Duration::from_secs(600);

/// Opens the store once more, as another process would.
type Open = Box<dyn Fn() -> Future<(Arc<dyn Store>, Arc<dyn Hints>)> + Send + Sync>;

/// A store that several engines share, as several processes would.
pub struct Home {
    open: Open,
    ledger: Arc<dyn Ledger>,
    kept: Vec<Box<dyn Any + Send + Sync>>,
}

impl Home {
    /// A home whose store is opened so, with a table of the user's own in it, which the first one that is opened writes to.
    pub fn new<S: Store + Hints>(
        open: impl Fn() -> Future<Arc<S>> + Send + Sync + 'static,
        ledger: Arc<dyn Ledger>,
    ) -> Self {
        let open = move || -> Future<(Arc<dyn Store>, Arc<dyn Hints>)> {
            let opening = open();
            Box::pin(async move {
                let store = opening.await;
                (store.clone() as Arc<dyn Store>, store as Arc<dyn Hints>)
            })
        };
        Self { open: Box::new(open), ledger, kept: Vec::new() }
    }

    /// Keeps something for as long as this home: a folder, a schema.
    #[must_use]
    pub fn keeping(mut self, kept: impl Any + Send + Sync) -> Self {
        self.kept.push(Box::new(kept));
        self
    }

    /// An engine to be.
    pub(super) async fn builder(&self) -> Builder {
        let (store, hints) = (self.open)().await;
        Builder::on(store, hints).configure(|config| config.lease = LEASE)
    }

    /// An engine to be that tells nobody of anything, and hears of nothing.
    pub(super) async fn mute(&self) -> Builder {
        let (store, _) = (self.open)().await;
        Builder::on(store, Arc::new(Mute)).configure(|config| config.lease = LEASE)
    }

    /// Effects that write one row of the user's own, with what the run says: for the first engine.
    pub(super) fn effects(&self, says: Outcome) -> Future<Outcome> {
        self.ledger.effects(Ok(says))
    }

    /// Rows that effects have written.
    pub(super) async fn rows(&self) -> usize {
        self.ledger.rows().await
    }
}

/// All hints are lost.
struct Mute;

impl Hints for Mute {
    fn ring(&self, _: Hint) {}

    fn listen(&self, _: Ear) {}
}
