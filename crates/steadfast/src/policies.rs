//! The rules of all kinds, also of those that this program does not handle.

use crate::declared::Declared;
use crate::handlers::Handlers;
use std::sync::Arc;
use steadfast_core::{Kind, Policy, Runtime, Store, StoreError};

/// Own handlers' rules first, then those that other programs declared in the store.
pub(crate) struct Policies {
    handlers: Arc<Handlers>,
    declared: Arc<Declared>,
}

impl Policies {
    pub(crate) fn new(handlers: Arc<Handlers>, store: Arc<dyn Store>, runtime: Arc<dyn Runtime>) -> Self {
        Self { handlers, declared: Declared::new(store, runtime) }
    }

    /// The rules of a kind as far as they are known; the defaults for a kind nobody declared.
    pub(crate) fn of(&self, kind: &Kind) -> Arc<Policy> {
        let own = self.handlers.find(kind).map(|handler| handler.policy.clone());
        own.or_else(|| self.declared.of(kind)).unwrap_or_default()
    }

    /// Sees to it that what others declared is known, unless the kind is our own.
    pub(crate) async fn refresh_for(&self, kind: &Kind) -> Result<(), StoreError> {
        if self.handlers.find(kind).is_some() { Ok(()) } else { self.declared.refresh().await }
    }

    /// Reads what others declared.
    pub(crate) async fn refresh(&self) -> Result<(), StoreError> {
        self.declared.read().await
    }
}
