//! How a store is opened.

use std::fmt;
use std::sync::Arc;
use steadfast_core::Clock;

/// How a store is opened. The defaults are right for most.
#[derive(Clone)]
#[non_exhaustive]
pub struct Options {
    /// The schema that holds our tables: lower-case letters, digits and underscores.
    pub schema: String,
    /// Most connections for the engine's work, and as many again for callers' own transactions. Leases and hints have
    /// theirs beside them.
    pub connections_max: usize,
    /// Whether a pooler in transaction mode stands before the server, so that nothing may be kept in a session:
    /// no prepared statements, no settings, no LISTEN. None means that the store finds out when it opens.
    pub pooled: Option<bool>,
    /// Where to LISTEN when the store's own URL leads to a pooler. Without it workers hear of each other's adds by
    /// their sweep, within a second.
    pub listen_url: Option<String>,
    /// Says what time it is in the place of the server. Only for tests.
    pub clock: Option<Arc<dyn Clock>>,
}

impl Default for Options {
    fn default() -> Self {
        Self { schema: "steadfast".into(), connections_max: 8, pooled: None, listen_url: None, clock: None }
    }
}

/// The URL may hold a password and is not shown.
impl fmt::Debug for Options {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Options")
            .field("schema", &self.schema)
            .field("connections_max", &self.connections_max)
            .field("pooled", &self.pooled)
            .finish_non_exhaustive()
    }
}
