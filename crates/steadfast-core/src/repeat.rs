//! What an add does that meets its own key.

use crate::error::Refusal;
use crate::id::TaskId;
use crate::new_task::NewTask;
use crate::status::Status;
use crate::task::Task;
use crate::time::Time;

/// What becomes of an add whose key names a task already. Nothing is added in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Repeat {
    /// The first task stays as it is.
    #[default]
    Keep,
    /// The first task gets this one's payload and time, if it is not running and has not ended.
    Replace,
    /// An error that names the key and the first task.
    Refuse,
}

impl NewTask {
    /// Gives the first task of its key the new payload and time. False, and nothing changed, if that one runs, is parked,
    /// or is past that. One that is ready keeps its place in line.
    pub fn replace(&self, first: &mut Task, now: Time) -> bool {
        use Status::{Held, Paused, Ready, Waiting};
        if self.on_repeat != Repeat::Replace || !matches!(first.status, Waiting | Ready | Held | Paused) {
            return false;
        }
        first.payload_len = self.payload.len();
        first.payload = Some(self.payload.clone());
        let due_at = self.when.on(now);
        if due_at > now || first.status != Ready {
            (first.due_at, first.base_at, first.ready_at) = (due_at, due_at, due_at.max(now));
        }
        if matches!(first.status, Waiting | Ready) {
            first.status = if first.due_at > now { Waiting } else { Ready };
        }
        first.touch(now);
        true
    }

    /// Refuses a task whose key names another and that does not want to be a repeat.
    pub fn check_first(&self, first: Option<TaskId>) -> Result<(), Refusal> {
        match (first, &self.key) {
            (Some(first), Some(key)) if self.on_repeat == Repeat::Refuse => {
                Err(Refusal::KeyUsed { key: key.name.clone(), first })
            }
            _ => Ok(()),
        }
    }
}
