//! How urgent a task is.

use crate::error::Refusal;
use serde::{Deserialize, Serialize};
use std::fmt;

/// 0 is most urgent, 9 least; 5 unless said otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "i64", into = "i64")]
pub struct Priority(u8);

impl Priority {
    /// Goes before everything else.
    pub const URGENT: Self = Self(0);
    /// Goes after everything else.
    pub const LAST: Self = Self(9);

    /// Checks a priority: 0 to 9.
    pub fn new(priority: i64) -> Result<Self, Refusal> {
        match u8::try_from(priority) {
            Ok(small @ 0..=9) => Ok(Self(small)),
            _ => Err(Refusal::Priority(priority)),
        }
    }

    /// Its number.
    pub const fn get(self) -> u8 {
        self.0
    }
}

impl Default for Priority {
    fn default() -> Self {
        Self(5)
    }
}

impl fmt::Display for Priority {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl TryFrom<i64> for Priority {
    type Error = Refusal;

    fn try_from(priority: i64) -> Result<Self, Refusal> {
        Self::new(priority)
    }
}

impl From<Priority> for i64 {
    fn from(priority: Priority) -> Self {
        priority.0.into()
    }
}
