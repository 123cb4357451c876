//! What a test lets happen to a run.

use super::ground::at_once;
use super::script::{Blow, Script};
use crate::run::Run;
use crate::shared::Shared;
use steadfast_core::seam::Eject;
use steadfast_core::{Act, Deed, Guard, WorkerId};

/// What a test lets happen to a run of a handler, once: see [`Stage::on_run`](super::Stage::on_run) and
/// [`Stage::at_point`](super::Stage::at_point).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mishap {
    /// The run fails, for this reason; the policy says whether it is tried again.
    Fail(String),
    /// The handler panics.
    Panic,
    /// The worker crashes: all that the run did stands, its end is never written, and another worker finds the task.
    Crash,
    /// The run never ends. When its deadline has passed (let it [pass](super::Stage::pass)) it is taken away.
    Hang,
    /// Somebody cancels the task. The run is told to stop, and goes on: whatever it says is refused.
    Cancel,
    /// Another worker takes the task over. The old run is told to stop, and goes on: whatever it says is refused.
    Eject,
    /// The end of the run is written, with its effects, and the worker does not hear of it.
    LoseReply,
}

impl Mishap {
    /// Whether it happens to a whole run at its end: the work is done by then.
    pub(crate) const fn strikes_late(&self) -> bool {
        matches!(self, Self::Crash | Self::LoseReply)
    }

    /// Lets it happen, here and now. What ends the run never returns.
    pub(crate) async fn befall(self, script: &Script, shared: &Shared, run: &Run) {
        match self {
            Self::Panic => panic!("a mishap of the test"),
            Self::Fail(why) => script.strike(Blow::Fail(why)).await,
            Self::Crash => script.strike(Blow::Crash).await,
            Self::Hang => script.strike(Blow::Hang).await,
            Self::LoseReply => script.lose_reply(),
            Self::Cancel => {
                let guard = Guard::Grant(run.task().grant);
                let _ = at_once(shared.store.act(vec![Act { id: run.task().id, guard, deed: Deed::Cancel }]));
                run.stop();
            }
            Self::Eject => {
                eject(script, shared, run, script.worker());
                run.stop();
            }
        }
    }
}

/// A task that somebody took away already is not there to be taken.
fn eject(script: &Script, shared: &Shared, run: &Run, worker: WorkerId) {
    let (id, guard) = (run.task().id, Guard::Grant(run.task().grant));
    let deadline = shared.policies.of(&run.task().kind).deadline;
    let eject = Eject { id, guard, worker, deadline, step: None, payload: None };
    if let Ok(task) = at_once(shared.store.eject(eject)) {
        script.ejected(task);
    }
}
