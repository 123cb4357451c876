//! What a kind's tasks go on as when their retries are used up.

use crate::error::Refusal;
use crate::kind::Kind;
use crate::limit::TEXT_BYTES_MAX;
use crate::outcome::Outcome;
use crate::text;
use serde::{Deserialize, Serialize};

/// Where a task goes instead of `error`, with its payload and all retries of the place it comes to.
///
/// ```
/// use steadfast_core::{Kind, Policy, Then};
/// let mut policy = Policy::default();
/// policy.then = Some(Then::Kind(Kind::new("mail.sorry")?));
/// # Ok::<(), steadfast_core::Refusal>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Then {
    /// On as another kind, from its first step.
    Kind(Kind),
    /// On at another step.
    Step(String),
}

impl Then {
    pub(crate) fn check(&self) -> Result<(), Refusal> {
        match self {
            Self::Kind(_) => Ok(()),
            Self::Step(step) => text::check("step", step, TEXT_BYTES_MAX),
        }
    }
}

impl From<&Then> for Outcome {
    fn from(then: &Then) -> Self {
        match then {
            Then::Kind(kind) => Self::kind(kind.as_str()),
            Then::Step(step) => Self::step(step.clone()),
        }
    }
}
