//! The end of a run that brings its own writes along.

use crate::change::Change;
use crate::effects::Effects;
use crate::grant::Fence;
use crate::outcome::Outcome;
use crate::status::Status;
use crate::time::Time;
use std::fmt;
use std::time::Duration;

/// What follows for a task from what its effects say.
pub type Decide = Box<dyn FnOnce(Outcome) -> Change + Send>;

/// Effects and the end of their run, to be committed together.
pub struct Commit {
    /// Whose run.
    pub fence: Fence,
    /// What its handler writes.
    pub effects: Effects,
    /// What becomes of the task.
    pub decide: Decide,
    /// How long the effects may hold up a store that has one writer.
    pub bound: Duration,
}

/// What became of effects and the end of their run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Committed {
    /// Both are committed.
    Accepted {
        /// The task's status now.
        status: Status,
        /// When it may run.
        due_at: Time,
    },
    /// The fence did not match: the run is no longer its holder's, nothing was written.
    Lost,
    /// The effects failed: nothing was written, and the run is still its holder's to end. Says why.
    Failed(String),
}

impl fmt::Debug for Commit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Commit")
            .field("fence", &self.fence)
            .field("effects", &self.effects)
            .finish_non_exhaustive()
    }
}
