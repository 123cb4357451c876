//! How often what goes wrong.

use std::time::Duration;

/// Faults in a hundred calls; all zero when the world has healed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Chance {
    /// A call fails before it did anything.
    pub(crate) before: usize,
    /// A call took effect and its answer is lost.
    pub(crate) after: usize,
    /// Finishes are refused together, and taken one by one.
    pub(crate) refused: usize,
    /// A call is slow, on its way or on its way back.
    pub(crate) slow: usize,
    /// How slow it may be.
    pub(crate) slow_max: Duration,
    /// A hint never arrives.
    pub(crate) hint_lost: usize,
    /// A hint arrives twice.
    pub(crate) hint_twice: usize,
    /// The store is away: every call fails.
    pub(crate) down: bool,
}

impl Chance {
    /// A rough day.
    pub(crate) fn rough() -> Self {
        Self {
            before: 2,
            after: 3,
            refused: 5,
            slow: 5,
            slow_max: Duration::from_millis(1500),
            hint_lost: 20,
            hint_twice: 10,
            down: false,
        }
    }
}
