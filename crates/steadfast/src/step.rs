//! Steps as types, and what a step may say.

use crate::handler::IntoOutcome;
use std::marker::PhantomData;
use std::time::Duration;
use steadfast_core::Outcome;

/// A step of a [`Machine`](crate::Machine): its fields are what is known when it begins.
///
/// The store keeps its name as the task's step and its fields as the payload, so people see where a task stands.
pub trait Step: serde::Serialize + serde::de::DeserializeOwned + Send + 'static {
    /// Its name, which stays: tasks that are on their way have it.
    const STEP: &'static str;
}

/// Says that one step may follow another. A transition that nobody declared does not compile.
///
/// ```compile_fail,E0277
/// use steadfast::{LeadsTo, Step, Turn};
/// # #[derive(serde::Serialize, serde::Deserialize)] struct Scan;
/// # #[derive(serde::Serialize, serde::Deserialize)] struct Compare;
/// # #[derive(serde::Serialize, serde::Deserialize)] struct Decide;
/// impl Step for Scan { const STEP: &'static str = "scan"; }
/// impl Step for Compare { const STEP: &'static str = "compare"; }
/// impl Step for Decide { const STEP: &'static str = "decide"; }
/// impl LeadsTo<Compare> for Scan {}
/// impl LeadsTo<Decide> for Compare {}
///
/// let by_the_way = Turn::<Scan>::to(Compare);
/// // error: the step `Scan` does not lead to `Decide`
/// let past_it = Turn::<Scan>::to(Decide);
/// ```
#[diagnostic::on_unimplemented(
    message = "the step `{Self}` does not lead to `{T}`",
    label = "no such transition",
    note = "if there should be one, declare it: `impl LeadsTo<{T}> for {Self} {{}}`"
)]
pub trait LeadsTo<T: Step>: Step {}

/// What a step says at its end. An error is a retry by policy.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "a turn counts only when the step returns it"]
pub struct Turn<S> {
    outcome: Outcome,
    step: PhantomData<fn() -> S>,
}

impl<S: Step> Turn<S> {
    /// On to another step: at once, under the same grant, unless a delay is given.
    #[expect(clippy::needless_pass_by_value, reason = "who goes on has no more use for it")]
    pub fn to<T: Step>(next: T) -> Self
    where
        S: LeadsTo<T>,
    {
        Self::of(Outcome::step(T::STEP).with(&next))
    }

    /// The machine has come to its end.
    pub fn done() -> Self {
        Self::of(Outcome::Done)
    }

    /// The same step again after a while, with what is known by now. That is no failure.
    #[expect(clippy::needless_pass_by_value, reason = "who goes on has no more use for it")]
    pub fn wait(step: S, delay: Duration) -> Self {
        Self::of(Outcome::wait(delay).with(&step))
    }

    /// Somebody else goes on from here, by token, within so long: see [`Engine::finish`](crate::Engine::finish).
    pub fn later(within: Duration) -> Self {
        Self::of(Outcome::later(within))
    }

    /// A failure that the policy may try again.
    pub fn retry(why: impl Into<String>) -> Self {
        Self::of(Outcome::retry(why))
    }

    /// A failure for good.
    pub fn fail(why: impl Into<String>) -> Self {
        Self::of(Outcome::fail(why))
    }

    /// So long from now: the next step, or the retry.
    pub fn after(self, delay: Duration) -> Self {
        Self::of(self.outcome.after(delay))
    }

    /// Where a retry goes on when none is left.
    #[expect(clippy::needless_pass_by_value, reason = "who goes on has no more use for it")]
    pub fn or_else<T: Step>(self, next: T) -> Self
    where
        S: LeadsTo<T>,
    {
        Self::of(self.outcome.or_else(Outcome::step(T::STEP).with(&next)))
    }

    const fn of(outcome: Outcome) -> Self {
        Self { outcome, step: PhantomData }
    }
}

impl<S> IntoOutcome for Turn<S> {
    fn into_outcome(self) -> Outcome {
        self.outcome
    }
}
