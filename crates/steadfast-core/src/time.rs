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

    /// The same moment for the standard library.
    pub fn to_system(self) -> std::time::SystemTime {
        let micros = Duration::from_micros(self.0.unsigned_abs());
        // Every time that can be stored lies after 1970.
        std::time::UNIX_EPOCH + if self.0 < 0 { Duration::ZERO } else { micros }
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

/// As RFC 3339 writes it, in UTC and to the second.
impl std::fmt::Display for Time {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let seconds = self.0.div_euclid(1_000_000);
        let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
        let (year, month, day) = civil(days);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        write!(out, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }
}

/// Year, month and day of a day since 1970, by the Gregorian calendar: years begin in March, so that the leap day is
/// the last of them.
fn civil(days: i64) -> (i64, i64, i64) {
    const DAYS_IN_400_YEARS: i64 = 146_097;
    let from_march_0 = days + 719_468;
    let era = from_march_0.div_euclid(DAYS_IN_400_YEARS);
    let day_of_era = from_march_0.rem_euclid(DAYS_IN_400_YEARS);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_reads_as_rfc_3339() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (253_402_300_799, "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(Time::from_micros(seconds * 1_000_000).to_string(), text);
        }
    }
}
