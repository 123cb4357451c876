//! How a kind is treated: what everybody needs to know of it, also those who do not handle it.

use crate::cluster::{ClusterLimit, ClusterPath};
use crate::compression::Compress;
use crate::error::Refusal;
use crate::kind::{Bucket, Kind};
use crate::limit::TEXT_BYTES_MAX;
use crate::priority::Priority;
use crate::retry::Retry;
use crate::status::Status;
use crate::task::Task;
use crate::text;
use crate::then::Then;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The deadline of a run that has none.
const FAR: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

/// The rules of a kind. They are kept in the store, since a reaper must know them without the handler.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Policy {
    /// When a failure is tried again.
    pub retry: Retry,
    /// What a task goes on as when its retries are used up, unless its handler says so itself; `error` if none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub then: Option<Then>,
    /// How long a run may take before it counts as hung.
    pub deadline: Duration,
    /// What a hung run becomes.
    pub hang: Hang,
    /// Runs that may be lost with their worker before the task ends in `error`.
    pub lost_max: u32,
    /// A lost run ends in `error`, never runs again.
    pub at_most_once: bool,
    /// What is kept of a task that ended.
    pub retention: Retention,
    /// How long a key outlives its task.
    pub key_window: Duration,
    /// Where tasks of the kind are added.
    pub bucket: Bucket,
    /// Their priority unless the adder says otherwise.
    pub priority: Priority,
    /// How their payloads are made smaller, whoever adds them.
    #[serde(skip_serializing_if = "Compress::is_none")]
    pub compression: Compress,
    /// Who answers for the kind, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// How bad it is if the kind stands still, in a word of yours, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub criticality: Option<String>,
    /// How many may run at once in all workers together: limits below each other, widest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cluster: Vec<ClusterLimit>,
}

/// What a run past its deadline becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Hang {
    /// A failure that the retry policy may try again.
    #[default]
    Retry,
    /// An `error` at once.
    Error,
    /// A `failed` at once: it is over, and nobody has to look.
    Failed,
    /// Nothing: the deadline does not count, and the run goes on until it ends, its worker dies or a person stops it.
    /// A parked task that nobody finished in time is a failure all the same.
    Ignore,
}

/// What is kept of a task that ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Retention {
    /// The whole row, in the history.
    #[default]
    History,
    /// The row without its payload, in the history.
    Bare,
    /// Nothing.
    Delete,
}

impl Policy {
    /// How long a run may take unless the kind says otherwise.
    pub const DEADLINE: Duration = Duration::from_secs(3600);

    /// The deadline of a run for which the rules, or the run itself, say so long.
    pub fn deadline_for(&self, said: Duration) -> Duration {
        if self.hang == Hang::Ignore { FAR } else { said }
    }

    /// Whether a task past its time is to be left alone. A run that began under other rules has a deadline.
    pub fn lets_hang(&self, task: &Task) -> bool {
        self.hang == Hang::Ignore && task.status == Status::Running
    }

    /// Where a kind with these rules stands among the limits of the cluster; none if it has none.
    pub fn cluster_path(&self, kind: &Kind) -> Option<ClusterPath> {
        ClusterPath::of(&self.cluster, kind)
    }

    /// Refuses rules that contradict themselves.
    pub fn check(&self) -> Result<(), Refusal> {
        if self.deadline < Duration::from_millis(1) {
            return Err(Refusal::Config("deadline is under 1 ms; no run could end in time".into()));
        }
        if self.lost_max == 0 {
            return Err(Refusal::Config("lost_max is 0; use at_most_once to forbid a second run".into()));
        }
        self.compression.check()?;
        if self.hang == Hang::Ignore && self.deadline != Self::DEADLINE {
            let text = "a deadline is set and hang is ignore, so that it would never count; drop one of them";
            return Err(Refusal::Config(text.into()));
        }
        for (what, label) in [("owner", &self.owner), ("criticality", &self.criticality)] {
            label.as_deref().map_or(Ok(()), |label| text::check(what, label, TEXT_BYTES_MAX))?;
        }
        ClusterLimit::check(&self.cluster)?;
        self.then.as_ref().map_or(Ok(()), Then::check)?;
        self.retry.check()
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            retry: Retry::default(),
            then: None,
            deadline: Self::DEADLINE,
            hang: Hang::default(),
            lost_max: 5,
            at_most_once: false,
            retention: Retention::default(),
            key_window: Duration::from_secs(24 * 3600),
            bucket: Bucket::default(),
            priority: Priority::default(),
            compression: Compress::default(),
            owner: None,
            criticality: None,
            cluster: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(change: impl FnOnce(&mut Policy), expected: &str) {
        let mut policy = Policy::default();
        change(&mut policy);
        let said = policy.check().map_or_else(|refusal| refusal.to_string(), |()| "fine".into());
        assert_eq!(said, expected);
    }

    #[test]
    fn rules_that_contradict_themselves_are_refused_with_what_to_do() {
        check(|_| {}, "fine");
        check(|policy| policy.hang = Hang::Ignore, "fine");
        check(|policy| (policy.hang, policy.at_most_once) = (Hang::Retry, true), "fine");
        check(|policy| policy.owner = Some("payments".into()), "fine");
        let never = "a deadline is set and hang is ignore, so that it would never count; drop one of them";
        check(|policy| (policy.hang, policy.deadline) = (Hang::Ignore, Duration::from_secs(5)), never);
        let short = "deadline is under 1 ms; no run could end in time";
        check(|policy| policy.deadline = Duration::ZERO, short);
        check(|policy| policy.lost_max = 0, "lost_max is 0; use at_most_once to forbid a second run");
        check(|policy| policy.owner = Some(String::new()), "owner is empty; give it at least one character");
        let letter = "criticality holds the control character '\\n' at byte 1; remove it";
        check(|policy| policy.criticality = Some("a\nb".into()), letter);
    }
}
