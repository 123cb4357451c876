//! The two numbers that guard a task: grant for its holder, version for everybody else.

use crate::id::{TaskId, WorkerId};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Rises whenever a task is given to a worker. A holder's writes name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Grant(i64);

/// Rises at every change that an outsider can see. An outsider's acts name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Version(i64);

/// What a holder must show with every write: no row with all three means that the grant is lost.
///
/// The worker is part of it, since after failover to a lagging replica the same number can be given again.
/// It is also the token for outside systems, which refuse a lower grant than they have seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Fence {
    /// Which task.
    pub task: TaskId,
    /// Which grab of it.
    pub grant: Grant,
    /// By whom.
    pub worker: WorkerId,
}

impl Grant {
    /// As a store kept it.
    pub const fn from_i64(grant: i64) -> Self {
        Self(grant)
    }

    /// Its number.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// The one after it.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl Version {
    /// As a store kept it.
    pub const fn from_i64(version: i64) -> Self {
        Self(version)
    }

    /// Its number.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// The one after it.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for Grant {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}
