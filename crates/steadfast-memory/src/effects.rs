//! Effects in memory: a function that runs if, and only if, the run's end is accepted.

use crate::state::State;
use std::panic::{AssertUnwindSafe, catch_unwind};
use steadfast_core::effects::{self, Effects};
use steadfast_core::seam::{Cause, Commit, Committed, Finish, Finished};
use steadfast_core::{Outcome, StoreError, Time};

const NAME: &str = "memory";

type Work = Box<dyn FnOnce() -> Result<Outcome, String> + Send>;

/// Effects for tests: runs the function while the run is surely its holder's, and ends it with what the function says.
/// An error is a failure that the policy may try again.
///
/// ```
/// use steadfast_core::Outcome;
/// let outcome = steadfast_memory::effects(|| {
///     println!("once");
///     Ok::<_, std::io::Error>(Outcome::Done)
/// });
/// ```
pub fn effects<E: ToString>(work: impl FnOnce() -> Result<Outcome, E> + Send + 'static) -> Outcome {
    let work: Work = Box::new(move || work().map_err(|error| error.to_string()));
    Outcome::Effects(Effects::new(NAME, work))
}

impl State {
    /// Runs effects and ends their run, if the fence still holds.
    pub(crate) fn commit(&mut self, commit: Commit, now: Time) -> Result<Committed, StoreError> {
        let work: Work = commit.effects.take(NAME)?;
        if self.fenced(commit.fence).is_none() {
            return Ok(Committed::Lost);
        }
        let outcome = match catch_unwind(AssertUnwindSafe(|| effects::inside(work))) {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(why)) => return Ok(Committed::Failed(why)),
            Err(panic) => return Ok(Committed::Failed(effects::panicked(panic.as_ref()))),
        };
        let finish = Finish { fence: commit.fence, cause: Cause::Holder, change: (commit.decide)(outcome) };
        Ok(match self.finish(&finish, now) {
            Finished::Accepted { status, due_at } => Committed::Accepted { status, due_at },
            Finished::Lost => Committed::Lost,
        })
    }
}
