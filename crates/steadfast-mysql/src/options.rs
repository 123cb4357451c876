//! How a store is opened.

use std::fmt;
use std::sync::Arc;
use steadfast_core::Clock;

/// How a store is opened. The defaults are right for most.
#[derive(Clone)]
#[non_exhaustive]
pub struct Options {
    /// How the names of our tables begin: lower-case letters, digits and underscores, an underscore at the end.
    pub prefix: String,
    /// Most connections for the engine's work, and as many again for callers' own transactions. Leases and hints have
    /// theirs beside them.
    pub connections_max: usize,
    /// Says what time it is in the place of the server. Only for tests.
    pub clock: Option<Arc<dyn Clock>>,
}

impl Default for Options {
    fn default() -> Self {
        Self { prefix: "steadfast_".into(), connections_max: 8, clock: None }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Options")
            .field("prefix", &self.prefix)
            .field("connections_max", &self.connections_max)
            .finish_non_exhaustive()
    }
}
