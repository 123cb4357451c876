//! Outcomes as a handler says them: short for what is common. The fields of [`Outcome`] say the rest.

use crate::kind::Kind;
use crate::outcome::Outcome;
use crate::payload::Payload;
use crate::time::When;
use serde::Serialize;
use std::time::Duration;

/// ```
/// use std::time::Duration;
/// use steadfast_core::Outcome;
///
/// let minute = Duration::from_secs(60);
/// // The next step, at once, with another payload.
/// let next = Outcome::step("compare").with(&"what is known so far");
/// // Three tries as the policy says; then somebody else's turn.
/// let retry = Outcome::retry("the bank is busy").after(minute).or_else(Outcome::kind("call.the.bank"));
/// ```
///
/// What cannot be said, such as a payload for [`Done`](Outcome::Done), becomes a [`Fail`](Outcome::Fail) that says why:
/// it is a fault of the handler, and no retry would mend it.
impl Outcome {
    /// Goes on at another step, at once, under the same grant.
    pub fn step(step: impl Into<String>) -> Self {
        Self::Next { step: Some(step.into()), kind: None, payload: None, when: When::Now }
    }

    /// Goes on as another kind, at once, from that kind's first step.
    pub fn kind(kind: impl AsRef<str>) -> Self {
        match Kind::new(kind) {
            Ok(kind) => Self::Next { step: None, kind: Some(kind), payload: None, when: When::Now },
            Err(refusal) => Self::Fail(format!("cannot go on as another kind: {refusal}")),
        }
    }

    /// Looks again after a while; that is no failure.
    pub fn wait(delay: Duration) -> Self {
        Self::Wait { until: When::After(delay), payload: None }
    }

    /// A failure that the policy may try again.
    pub fn retry(why: impl Into<String>) -> Self {
        Self::Retry { why: why.into(), after: None, payload: None, then: None }
    }

    /// A failure for good.
    pub fn fail(why: impl Into<String>) -> Self {
        Self::Fail(why.into())
    }

    /// Is finished from elsewhere, by token, within so long.
    pub fn later(within: Duration) -> Self {
        Self::Later { until: When::After(within) }
    }

    /// Goes on with this payload, as JSON. For a next, a wait or a retry.
    #[must_use]
    pub fn with(mut self, payload: &impl Serialize) -> Self {
        let made = match Payload::json(self.name(), payload) {
            Ok(made) => made,
            Err(refusal) => return self.cannot(&refusal.to_string()),
        };
        match &mut self {
            Self::Next { payload, .. } | Self::Wait { payload, .. } | Self::Retry { payload, .. } => {
                *payload = Some(made);
                self
            }
            _ => self.cannot("it takes no payload"),
        }
    }

    /// So long from now. For a next, or for a retry whatever the policy's delay would be.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        match &mut self {
            Self::Next { when, .. } => *when = When::After(delay),
            Self::Retry { after, .. } => *after = Some(When::After(delay)),
            _ => return self.cannot("it takes no delay of its own"),
        }
        self
    }

    /// What becomes of it when no retry is left, instead of `error`: another kind or step with all its retries, or an
    /// end. A retry, a wait or the same step would go round for ever, so they end in `error` all the same.
    #[must_use]
    pub fn or_else(mut self, outcome: Self) -> Self {
        match &mut self {
            Self::Retry { then, .. } => {
                *then = Some(Box::new(outcome));
                self
            }
            _ => self.cannot("only a retry has something that follows when it is used up"),
        }
    }

    /// The first fault is the one that is told.
    fn cannot(self, why: &str) -> Self {
        match self {
            Self::Fail(first) => Self::Fail(first),
            other => Self::Fail(format!("the handler's outcome `{}` cannot be kept: {why}", other.name())),
        }
    }
}
