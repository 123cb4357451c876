//! What a handler may say at the end of a run.

use crate::kind::Kind;
use crate::payload::Payload;
use crate::time::When;

/// What becomes of the task. An error or a panic counts as [`Outcome::retry`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// It ended well.
    Done,
    /// It goes on: at another step, or as another kind, now or later. Failures are forgotten.
    Next {
        /// The step to go on at.
        step: Option<String>,
        /// The kind to go on as.
        kind: Option<Kind>,
        /// What to go on with; the old payload if none.
        payload: Option<Payload>,
        /// When.
        when: When,
    },
    /// It waits, and that is no failure.
    Wait {
        /// Until when.
        until: When,
        /// What to go on with; the old payload if none.
        payload: Option<Payload>,
    },
    /// It failed and may be tried again; the policy says when, unless said here.
    Retry {
        /// What went wrong.
        why: String,
        /// When to try again, whatever the policy's delay would be.
        after: Option<When>,
    },
    /// It failed for good: a person has to look.
    Fail(String),
    /// It is finished from elsewhere, by token. No worker is held meanwhile.
    Later {
        /// How long that may take; then it counts as a failure.
        until: When,
    },
}

impl Outcome {
    /// A failure that the policy may try again.
    pub fn retry(why: impl Into<String>) -> Self {
        Self::Retry { why: why.into(), after: None }
    }

    /// Goes on at another step, at once, under the same grant.
    pub fn step(step: impl Into<String>) -> Self {
        Self::Next { step: Some(step.into()), kind: None, payload: None, when: When::Now }
    }
}
