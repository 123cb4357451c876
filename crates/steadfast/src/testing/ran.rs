//! What a stage ran.

use std::fmt;
use steadfast_core::{Outcome, Status, Task, TaskId};

/// One call of a handler on a stage. Compares with a pair of kind and status: `assert_eq!(ran, [("mail", Status::Done)])`.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Ran {
    /// Of which task.
    pub id: TaskId,
    /// Of which kind, suffix and all.
    pub kind: String,
    /// At which step.
    pub step: Option<String>,
    /// The how-manieth attempt.
    pub attempt: u32,
    /// What the handler said; none if it did not get to say it.
    pub outcome: Option<Outcome>,
    /// What the task was afterwards: `running` if it went on at its next step at once, or if its run hangs or was lost
    /// and nobody knows yet.
    pub status: Status,
}

impl Ran {
    pub(crate) fn begins(task: &Task) -> Self {
        Self {
            id: task.id,
            kind: task.kind.to_string(),
            step: task.step.clone(),
            attempt: task.attempt,
            outcome: None,
            status: Status::Running,
        }
    }
}

impl PartialEq<(&str, Status)> for Ran {
    fn eq(&self, (kind, status): &(&str, Status)) -> bool {
        self.kind == *kind && self.status == *status
    }
}

impl fmt::Display for Ran {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}, attempt {}: {}", self.kind, self.attempt, self.status)
    }
}
