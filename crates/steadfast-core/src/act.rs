//! What people may do to a task, whoever holds it.

use crate::error::Refusal;
use crate::grant::{Fence, Grant, Version};
use crate::id::TaskId;
use crate::limit::TEXT_BYTES_MAX;
use crate::payload::Payload;
use crate::priority::Priority;
use crate::status::Status;
use crate::task::Task;
use crate::text;
use crate::time::{Time, When};

/// One act on one task, with proof of what the actor saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Act {
    /// Which task.
    pub id: TaskId,
    /// What the actor saw of it.
    pub guard: Guard,
    /// What to do.
    pub deed: Deed,
}

/// What an outsider saw before acting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    /// This very version.
    Version(Version),
    /// This run, whatever step it is in, so that a task that saves often cannot escape. Only for acts that
    /// stop a run: cancel, pause and eject.
    Grant(Grant),
}

/// What to do to a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deed {
    /// Run it once more, with failures and lost runs forgotten.
    Again(When),
    /// Acknowledge its error: nobody needs to look again.
    Ack,
    /// End it.
    Cancel,
    /// Stop it until it is released.
    Pause,
    /// Let it run after a pause.
    Release,
    /// Change when it may run.
    Reschedule(When),
    /// Change how urgent it is.
    Prioritise(Priority),
    /// Change what it goes on with. A running task changes only by ejecting it.
    Rewrite {
        /// Another step; none leaves it as it is.
        step: Option<String>,
        /// Another payload; none leaves it as it is.
        payload: Option<Payload>,
    },
}

/// What an act did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acted {
    /// The task's version now.
    pub version: Version,
    /// Its status now.
    pub status: Status,
    /// The run that was taken from its worker and has to be recalled.
    pub recalled: Option<Fence>,
    /// Its serial key, whose next task may come forward.
    pub serial: Option<String>,
}

impl Guard {
    /// Whether the task is still as the actor saw it.
    pub fn check(self, task: &Task, deed: &Deed) -> Result<(), Refusal> {
        let fresh = match self {
            Self::Version(version) => task.version == version,
            Self::Grant(grant) => {
                task.grant == grant && task.status.has_holder() && matches!(deed, Deed::Cancel | Deed::Pause)
            }
        };
        if fresh { Ok(()) } else { Err(stale(task)) }
    }
}

impl Deed {
    /// Its name, for people.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Again(_) => "run again",
            Self::Ack => "acknowledge",
            Self::Cancel => "cancel",
            Self::Pause => "pause",
            Self::Release => "release",
            Self::Reschedule(_) => "reschedule",
            Self::Prioritise(_) => "prioritise",
            Self::Rewrite { .. } => "rewrite",
        }
    }

    /// Refuses what no store could keep. The limit of payloads is the engine's to know.
    pub fn check(&self) -> Result<(), Refusal> {
        match self {
            Self::Again(when) | Self::Reschedule(when) => when.check("time"),
            Self::Rewrite { step: Some(step), .. } => text::check("step", step, TEXT_BYTES_MAX),
            _ => Ok(()),
        }
    }

    /// Does it to a row, or says why not and leaves it alone. The store has checked the [`Guard`] before and
    /// writes the row after.
    pub fn apply(&self, task: &mut Task, now: Time) -> Result<Acted, Refusal> {
        self.check()?;
        let refusal = Refusal::Status { id: task.id, deed: self.name(), status: task.status };
        if !self.fits(task.status) {
            return Err(refusal);
        }
        let recalled = if task.status == Status::Running { task.fence() } else { None };
        match self {
            Self::Again(when) => run_again(task, *when, now)?,
            Self::Ack => end(task, Status::Failed, now),
            Self::Cancel => end(task, Status::Cancelled, now),
            Self::Pause => pause(task, now),
            Self::Release => leave(task, if task.due_at > now { Status::Waiting } else { Status::Ready }),
            Self::Reschedule(when) => reschedule(task, *when, now),
            Self::Prioritise(priority) => task.priority = *priority,
            Self::Rewrite { step, payload } => rewrite(task, step.as_ref(), payload.as_ref()),
        }
        if matches!(self, Self::Release) {
            task.ready_at = task.due_at.max(now);
        }
        task.touch(now);
        Ok(Acted {
            version: task.version,
            status: task.status,
            recalled: recalled.filter(|_| task.worker.is_none()),
            serial: task.serial.clone(),
        })
    }

    fn fits(&self, status: Status) -> bool {
        use Status::{Error, Held, Parked, Paused, Ready, Running, Waiting};
        match self {
            Self::Again(_) => status.is_final() || status == Error,
            Self::Ack => status == Error,
            Self::Cancel | Self::Prioritise(_) => !status.is_final(),
            Self::Pause => matches!(status, Waiting | Ready | Running | Parked),
            Self::Release => status == Paused,
            Self::Reschedule(_) => matches!(status, Waiting | Ready | Held | Paused),
            Self::Rewrite { .. } => matches!(status, Waiting | Ready | Held | Paused | Error),
        }
    }
}

/// The refusal for somebody who saw an older task.
pub(crate) fn stale(task: &Task) -> Refusal {
    Refusal::Stale { id: task.id, version: task.version.get(), status: task.status }
}

/// A final task of a serial key has left the head of its queue and goes to the end of it, as held.
fn run_again(task: &mut Task, when: When, now: Time) -> Result<(), Refusal> {
    if task.status.is_final() && task.payload.is_none() && task.payload_len > 0 {
        return Err(Refusal::PayloadGone(task.id));
    }
    let behind = task.status.is_final() && task.serial.is_some();
    task.due_at = when.on(now);
    task.ready_at = task.due_at.max(now);
    task.base_at = task.due_at;
    task.failures = 0;
    task.lost = 0;
    let by_time = if task.due_at > now { Status::Waiting } else { Status::Ready };
    leave(task, if behind { Status::Held } else { by_time });
    Ok(())
}

/// A parked task's time is the end of its park and says nothing about when it may run after a release.
fn pause(task: &mut Task, now: Time) {
    if task.status.has_holder() {
        task.due_at = task.due_at.min(now);
    }
    leave(task, Status::Paused);
}

fn end(task: &mut Task, status: Status, now: Time) {
    leave(task, status);
    task.due_at = now;
}

fn reschedule(task: &mut Task, when: When, now: Time) {
    task.due_at = when.on(now);
    task.ready_at = task.due_at.max(now);
    if matches!(task.status, Status::Waiting | Status::Ready) {
        task.status = if task.due_at > now { Status::Waiting } else { Status::Ready };
    }
}

fn rewrite(task: &mut Task, step: Option<&String>, payload: Option<&Payload>) {
    if let Some(step) = step {
        task.step = Some(step.clone());
    }
    if let Some(payload) = payload {
        task.payload_len = payload.len();
        task.payload = Some(payload.clone());
    }
}

/// Moves a task out of its worker's hands: without the worker no holder's write can match.
fn leave(task: &mut Task, status: Status) {
    task.status = status;
    task.worker = None;
    task.deadline_at = None;
}
