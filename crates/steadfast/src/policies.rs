//! The rules of all kinds, also of those that this program does not handle.

use crate::handlers::Handlers;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use steadfast_core::seam::KindRow;
use steadfast_core::{Kind, Policy, Runtime, Store, StoreError};

/// Rules are read again when they are older than this: an adder follows a changed policy within it.
const AGE_MAX: Duration = Duration::from_secs(1);

/// Own handlers' rules first, then those that other programs declared in the store.
pub(crate) struct Policies {
    handlers: Arc<Handlers>,
    store: Arc<dyn Store>,
    runtime: Arc<dyn Runtime>,
    declared: RwLock<Declared>,
}

#[derive(Default)]
struct Declared {
    /// By the kind, or its prefix with `*` at the end.
    policies: BTreeMap<String, Arc<Policy>>,
    read_at: Option<Duration>,
}

impl Policies {
    pub(crate) fn new(handlers: Arc<Handlers>, store: Arc<dyn Store>, runtime: Arc<dyn Runtime>) -> Self {
        Self { handlers, store, runtime, declared: RwLock::default() }
    }

    /// The rules of a kind as far as they are known; the defaults for a kind nobody declared.
    pub(crate) fn of(&self, kind: &Kind) -> Arc<Policy> {
        if let Some(handler) = self.handlers.find(kind) {
            return handler.policy.clone();
        }
        let declared = self.declared.read().unwrap_or_else(PoisonError::into_inner);
        declared.find(kind).cloned().unwrap_or_default()
    }

    /// Reads what others declared, unless the kind is our own or we read a moment ago.
    pub(crate) async fn refresh_for(&self, kind: &Kind) -> Result<(), StoreError> {
        if self.handlers.find(kind).is_some() {
            return Ok(());
        }
        let now = self.runtime.monotonic();
        let read_at = self.declared.read().unwrap_or_else(PoisonError::into_inner).read_at;
        if read_at.is_some_and(|read_at| now.saturating_sub(read_at) < AGE_MAX) {
            return Ok(());
        }
        self.refresh().await
    }

    pub(crate) async fn refresh(&self) -> Result<(), StoreError> {
        let now = self.runtime.monotonic();
        let rows: Vec<KindRow> = self.store.kinds().await?;
        let mut declared = self.declared.write().unwrap_or_else(PoisonError::into_inner);
        declared.policies = rows.into_iter().map(|row| (row.kind.into(), row.policy.into())).collect();
        declared.read_at = Some(now);
        Ok(())
    }
}

impl Declared {
    fn find(&self, kind: &Kind) -> Option<&Arc<Policy>> {
        let prefixes =
            self.policies.iter().filter_map(|(name, policy)| Some((name.strip_suffix('*')?, policy)));
        kind.find_in(|name| self.policies.get(name), prefixes)
    }
}
