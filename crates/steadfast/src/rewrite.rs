//! What an outsider changes of a task: where it goes on, and with what.

use crate::step::Step;
use serde::Serialize;
use steadfast_core::{Deed, Payload, Refusal};

/// A change of step and payload. What is not said stays as it is; what is wrong is said when it is used.
///
/// ```
/// use steadfast::Rewrite;
/// let rewrite = Rewrite::step("decide").with(&"the answer");
/// let nothing = Rewrite::none();
/// ```
#[derive(Debug, Clone)]
#[must_use = "a change counts only when it is made"]
pub struct Rewrite {
    step: Option<String>,
    payload: Result<Option<Payload>, Refusal>,
}

impl Rewrite {
    /// Everything stays as it is.
    pub const fn none() -> Self {
        Self { step: None, payload: Ok(None) }
    }

    /// On at another step.
    pub fn step(step: impl Into<String>) -> Self {
        Self { step: Some(step.into()), payload: Ok(None) }
    }

    /// On at a step of a [`Machine`](crate::Machine), with what is known by then. Who comes from outside may go anywhere.
    #[expect(clippy::needless_pass_by_value, reason = "who goes on has no more use for it")]
    pub fn to<S: Step>(step: S) -> Self {
        Self::step(S::STEP).with(&step)
    }

    /// With another payload, as JSON.
    pub fn with(mut self, payload: &impl Serialize) -> Self {
        self.payload = Payload::json("of a rewrite", payload).map(Some);
        self
    }

    /// With another payload, as bytes.
    pub fn bytes(mut self, payload: impl Into<Vec<u8>>) -> Self {
        self.payload = Ok(Some(Payload::bytes(payload.into())));
        self
    }

    /// Step and payload, if a store could keep them.
    pub(crate) fn checked(
        self,
        payload_bytes_max: usize,
    ) -> Result<(Option<String>, Option<Payload>), Refusal> {
        let payload = self.payload?;
        payload.as_ref().map_or(Ok(()), |payload| payload.check(payload_bytes_max))?;
        Deed::Rewrite { step: self.step.clone(), payload: None }.check()?;
        Ok((self.step, payload))
    }
}
