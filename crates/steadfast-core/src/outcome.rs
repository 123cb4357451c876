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
        /// What to go on with; the old payload if none.
        payload: Option<Payload>,
        /// What becomes of it when no retry is left, instead of `error`; the policy's own if none.
        then: Option<Box<Outcome>>,
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

/// What is done with a payload and the kind that goes on with it.
type Visit<'a, E> = dyn FnMut(Option<&Kind>, &mut Payload) -> Result<(), E> + 'a;

impl Outcome {
    /// Visits every payload that it brings along, with the kind that goes on with it if that is another one.
    pub fn each_payload<E>(&mut self, visit: &mut Visit<'_, E>) -> Result<(), E> {
        match self {
            Self::Next { kind, payload: Some(payload), .. } => visit(kind.as_ref(), payload),
            Self::Wait { payload: Some(payload), .. } => visit(None, payload),
            Self::Retry { payload, then, .. } => {
                payload.as_mut().map_or(Ok(()), |payload| visit(None, payload))?;
                then.as_mut().map_or(Ok(()), |then| then.each_payload(visit))
            }
            _ => Ok(()),
        }
    }

    /// Refuses what no store could keep: a step, a time or a payload out of bounds. Such an outcome is a fault
    /// of the handler that no retry mends, so [`decide`](crate::decide) takes it as [`Outcome::Fail`].
    pub fn check(&self, payload_bytes_max: usize) -> Result<(), Refusal> {
        let payload = |payload: &Option<Payload>| {
            payload.as_ref().map_or(Ok(()), |payload| payload.check(payload_bytes_max))
        };
        match self {
            Self::Next { step, payload: given, when, .. } => {
                step.as_deref().map_or(Ok(()), |step| text::check("step", step, TEXT_BYTES_MAX))?;
                payload(given)?;
                when.check("time")
            }
            Self::Wait { until, payload: given } => {
                payload(given)?;
                until.check("time")
            }
            Self::Retry { after, payload: given, then, .. } => {
                payload(given)?;
                after.map_or(Ok(()), |when| when.check("time"))?;
                then.as_ref().map_or(Ok(()), |then| then.check(payload_bytes_max))
            }
            Self::Later { until } => until.check("time"),
            Self::Done | Self::Fail(_) | Self::Effects(_) => Ok(()),
        }
    }

    /// Its name, for people.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Next { .. } => "next",
            Self::Wait { .. } => "wait",
            Self::Retry { .. } => "retry",
            Self::Fail(_) => "fail",
            Self::Later { .. } => "later",
            Self::Effects(_) => "effects",
        }
    }
}
