//! The end of a run that brings its own writes along: effects and finish are committed together, or neither is.

use crate::handler::Handler;
use crate::run::Run;
use crate::runner::{End, kept};
use crate::shared::Shared;
use std::sync::Arc;
use steadfast_core::seam::{Commit, Committed, Decide, Finished};
use steadfast_core::{Effects, Outcome, StoreError, decide};

/// The share of a lease for which effects may hold up a store that has one writer: renews go through the same writer.
const BOUND_SHARE: u32 = 20;

/// Carries out effects and ends their run.
///
/// Whatever goes wrong, the run is still to be ended by a plain finish, as a failure. That is right even if the answer
/// was lost on its way and all was committed: the finish waits for whoever has the row, and then its fence does not
/// match any more.
pub(crate) async fn commit(shared: &Arc<Shared>, run: &Run, handler: &Arc<Handler>, effects: Effects) -> End {
    let output = run.take_output();
    let rule = || rule(shared, run, handler, output.clone());
    let bound = shared.config.lease / BOUND_SHARE;
    let commit = Commit { fence: run.token(), effects, decide: rule(), bound };
    let answer = shared.store.commit(commit).await;
    #[cfg(feature = "testing")]
    let answer = crate::testing::answered(answer);
    let why = match answer {
        Ok(Committed::Accepted { status, due_at }) => {
            return End::Over(Finished::Accepted { status, due_at });
        }
        Ok(Committed::Lost) => return End::Over(Finished::Lost),
        Ok(Committed::Failed(why)) => why,
        Err(StoreError::Refused(refusal)) => return End::Said(rule()(Outcome::Fail(refusal.to_string()))),
        Err(error) => format!("the effects were not committed: {error}"),
    };
    End::Said(rule()(Outcome::retry(why)))
}

/// What follows for the task.
fn rule(shared: &Arc<Shared>, run: &Run, handler: &Arc<Handler>, output: Option<String>) -> Decide {
    let (shared, run, handler) = (shared.clone(), run.clone(), handler.clone());
    Box::new(move |outcome| {
        let outcome = kept(shared.keep_as_known(run.task(), handler.upcasters.stamp(outcome)));
        decide(run.task(), &handler.policy, outcome, output, shared.runtime.random())
    })
}
