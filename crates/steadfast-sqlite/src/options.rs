//! How a store is opened.

use std::fmt;
use std::sync::Arc;
use steadfast_core::Clock;
use steadfast_core::seam::SystemClock;

/// How a store is opened. The defaults are right for everything but tests and measurements.
#[derive(Clone)]
#[non_exhaustive]
pub struct Options {
    /// Says what time it is.
    pub clock: Arc<dyn Clock>,
    /// Largest size of the database file, in bytes; beyond it writes fail as on a full disk. None means as
    /// large as the disk.
    pub bytes_max: Option<u64>,
    /// Whether statements and their steps are counted, which costs a little with every statement.
    pub count_steps: bool,
}

impl Options {
    /// The defaults with another clock.
    pub fn with_clock(clock: Arc<dyn Clock>) -> Self {
        Self { clock, ..Self::default() }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self { clock: Arc::new(SystemClock), bytes_max: None, count_steps: false }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Options")
            .field("bytes_max", &self.bytes_max)
            .field("count_steps", &self.count_steps)
            .finish_non_exhaustive()
    }
}
