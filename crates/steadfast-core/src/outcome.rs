//! What a handler may say at the end of a run.

use crate::effects::Effects;
use crate::error::Refusal;
use crate::kind::Kind;
use crate::limit::TEXT_BYTES_MAX;
use crate::payload::Payload;
use crate::text;
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
    /// It waits, and that is no failure. Earlier ones are forgotten.
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
    /// Whatever these effects say, committed together with what they write: both or neither. Made by a store (see its
    /// crate for how).
    Effects(Effects),
    /// It is finished from elsewhere, by token. No worker is held meanwhile.
    Later {
        /// How long that may take; then it counts as a failure.
        until: When,
    },
}

impl Outcome {
    /// Refuses what no store could keep: a step, a time or a payload out of bounds. Such an outcome is a fault
    /// of the handler that no retry mends, so [`decide`](crate::decide) takes it as [`Outcome::Fail`].
    pub fn check(&self, payload_bytes_max: usize) -> Result<(), Refusal> {
        match self {
            Self::Next { step, payload, when, .. } => {
                step.as_deref().map_or(Ok(()), |step| text::check("step", step, TEXT_BYTES_MAX))?;
                payload.as_ref().map_or(Ok(()), |payload| payload.check(payload_bytes_max))?;
                when.check("time")
            }
            Self::Wait { until, payload } => {
                payload.as_ref().map_or(Ok(()), |payload| payload.check(payload_bytes_max))?;
                until.check("time")
            }
            Self::Retry { after: Some(when), .. } | Self::Later { until: when } => when.check("time"),
            Self::Done | Self::Retry { after: None, .. } | Self::Fail(_) | Self::Effects(_) => Ok(()),
        }
    }

    /// A failure that the policy may try again.
    pub fn retry(why: impl Into<String>) -> Self {
        Self::Retry { why: why.into(), after: None }
    }

    /// Goes on at another step, at once, under the same grant.
    pub fn step(step: impl Into<String>) -> Self {
        Self::Next { step: Some(step.into()), kind: None, payload: None, when: When::Now }
    }
}
