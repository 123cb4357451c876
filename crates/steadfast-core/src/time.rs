//! Time as the stores keep it: whole microseconds since 1970, UTC.

use crate::error::Refusal;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A moment of the database's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Time(i64);

impl Time {
    /// The first moment that can be stored.
    pub const MIN: Self = Self(0);
    /// The last moment that can be stored: the end of the year 9999.
    pub const MAX: Self = Self(253_402_300_799_999_999);

    /// A moment by its microseconds since 1970.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// The moment of a system time, if it can be stored.
    pub fn from_system(what: &'static str, system: std::time::SystemTime) -> Result<Self, Refusal> {
        let micros = match system.duration_since(std::time::UNIX_EPOCH) {
            Ok(after) => i128::try_from(after.as_micros()).unwrap_or(i128::MAX),
            Err(before) => -i128::try_from(before.duration().as_micros()).unwrap_or(i128::MAX),
        };
        match i64::try_from(micros).map(Self) {
            Ok(time) if time >= Self::MIN && time <= Self::MAX => Ok(time),
            _ => Err(Refusal::Time { what, micros }),
        }
    }

    /// Microseconds since 1970.
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// This moment moved on; stays within what can be stored.
    #[must_use]
    pub fn after(self, wait: Duration) -> Self {
        let wait = i64::try_from(wait.as_micros()).unwrap_or(i64::MAX);
        Self(self.0.saturating_add(wait)).min(Self::MAX)
    }

    /// How long after `earlier` this is; zero if it is not.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_micros(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    pub(crate) fn check(self, what: &'static str) -> Result<(), Refusal> {
        if (Self::MIN..=Self::MAX).contains(&self) {
            Ok(())
        } else {
            Err(Refusal::Time { what, micros: self.0.into() })
        }
    }
}

/// When something is to happen. The store turns it into a time by its own clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum When {
    /// At once.
    #[default]
    Now,
    /// So long after the store's clock at the write.
    After(Duration),
    /// At this time.
    At(Time),
}

impl When {
    /// The moment meant, given the store's clock.
    pub fn on(self, now: Time) -> Time {
        match self {
            Self::Now => now,
            Self::After(wait) => now.after(wait),
            Self::At(time) => time,
        }
    }

    pub(crate) fn check(self, what: &'static str) -> Result<(), Refusal> {
        match self {
            Self::At(time) => time.check(what),
            Self::After(wait) if wait.as_micros() > Time::MAX.0.unsigned_abs().into() => {
                Err(Refusal::Time { what, micros: i128::try_from(wait.as_micros()).unwrap_or(i128::MAX) })
            }
            Self::Now | Self::After(_) => Ok(()),
        }
    }
}
