//! The clock of stores that have none of their own.

use crate::time::Time;

/// Says what time it is. PostgreSQL and MySQL have their own clocks; memory and SQLite are handed this one.
pub trait Clock: Send + Sync + 'static {
    /// The time now.
    fn now(&self) -> Time;
}

/// The host's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Time {
        Time::from_system("the host's clock", std::time::SystemTime::now()).unwrap_or_default()
    }
}
