//! The two numbers that guard a task: grant for its holder, version for everybody else.

use crate::error::Refusal;
use crate::id::{TaskId, WorkerId};
use crate::text;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How much of a word that is no token an error shows, in bytes.
const TOKEN_BYTES_SHOWN: usize = 100;

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

/// As a word without spaces, for the URL of a callback.
impl fmt::Display for Fence {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{}.{}", self.task, self.grant, self.worker)
    }
}

impl FromStr for Fence {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let parse = || {
            let (task, rest) = text.split_once('.')?;
            let (grant, worker) = rest.split_once('.')?;
            let grant = Grant(grant.parse().ok()?);
            Some(Self { task: task.parse().ok()?, grant, worker: worker.parse().ok()? })
        };
        parse().ok_or_else(|| Refusal::Token(text::trim(text, TOKEN_BYTES_SHOWN)))
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_comes_back_from_its_text() {
        let fence = Fence { task: TaskId::new(1, [2, 3]), grant: Grant(7), worker: WorkerId::new(4, [5, 6]) };
        assert_eq!(fence.to_string().parse(), Ok(fence));
        for wrong in ["", "a.b.c", "01932b5c-7e57-7000-8000-000000000001.7"] {
            assert_eq!(wrong.parse::<Fence>(), Err(Refusal::Token(wrong.to_owned())));
        }
    }
}
