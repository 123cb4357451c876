//! What is written when a run ends: the answer of [`decide`](crate::decide), carried out by a store.

use crate::errors::Errors;
use crate::kind::Kind;
use crate::payload::Payload;
use crate::policy::Retention;
use crate::status::Status;
use crate::task::Task;
use crate::time::{Time, When};

/// A fenced write to a task: where it goes and what changes on the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Where it goes.
    pub to: To,
    /// Its attempts from now on.
    pub attempt: u32,
    /// Its failures from now on.
    pub failures: u32,
    /// Its lost runs from now on.
    pub lost: u32,
    /// Its failures, attempt by attempt; none leaves them as they are.
    pub errors: Option<Errors>,
    /// What the handler left behind; none leaves it as it is.
    pub output: Option<String>,
    /// Another kind, which begins at the step given with it or at none; none leaves it as it is.
    pub kind: Option<Kind>,
    /// Another step; none leaves it as it is, in the same kind.
    pub step: Option<String>,
    /// Another payload; none leaves it as it is.
    pub payload: Option<Payload>,
}

/// Where a task goes when its holder lets go of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum To {
    /// Out of the hot table, as done; the policy says what is kept of it.
    Done(Retention),
    /// To a person.
    Error,
    /// Out of the hot table, as failed: nobody has to look. The whole row is kept.
    Failed,
    /// Back to be run at that time; what is due at once is ready at once.
    Run(When),
    /// Back to its place in line, as if nobody had taken it: whoever lost its worker does not wait behind the whole
    /// backlog of its kind.
    Back,
    /// Out of hand until it is finished by token, at most until then. Keeps grant and worker.
    Parked(When),
}

impl To {
    /// What is kept of a task that ends by this; none if it lives on.
    pub const fn ends(self) -> Option<Retention> {
        match self {
            Self::Done(retention) => Some(retention),
            Self::Failed => Some(Retention::History),
            Self::Error | Self::Run(_) | Self::Back | Self::Parked(_) => None,
        }
    }
}

impl Change {
    /// A change that counts nothing and changes nothing else.
    pub(crate) fn of(task: &Task, to: To) -> Self {
        Self {
            to,
            attempt: task.attempt,
            failures: task.failures,
            lost: task.lost,
            errors: None,
            output: None,
            kind: None,
            step: None,
            payload: None,
        }
    }

    /// The change for a task whose real one no store would take: it goes to a person, with the reason.
    #[must_use]
    pub fn refused(&self, why: &str) -> Self {
        let errors = self.errors.clone().unwrap_or_default().with(self.attempt, why);
        let to = To::Error;
        Self { to, errors: Some(errors), output: None, kind: None, step: None, payload: None, ..self.clone() }
    }

    /// Writes it into a row of the hot table. What becomes of the row and its key when it is
    /// [final](Status::is_final) is the store's affair.
    ///
    /// This is the meaning of a finish: the memory store runs it, and a store in SQL says the same.
    pub fn apply(&self, task: &mut Task, now: Time) {
        task.attempt = self.attempt;
        task.failures = self.failures;
        task.lost = self.lost;
        task.deadline_at = None;
        if !matches!(self.to, To::Parked(_)) {
            task.worker = None;
        }
        match self.to {
            To::Done(_) => (task.status, task.due_at) = (Status::Done, now),
            To::Error => task.status = Status::Error,
            To::Failed => (task.status, task.due_at) = (Status::Failed, now),
            To::Parked(until) => (task.status, task.due_at) = (Status::Parked, until.on(now)),
            To::Back => task.status = Status::Ready,
            To::Run(when) => {
                task.due_at = when.on(now);
                task.status = if task.due_at > now { Status::Waiting } else { Status::Ready };
                task.ready_at = task.due_at.max(now);
            }
        }
        if let Some(errors) = &self.errors {
            task.errors = errors.clone();
        }
        if let Some(output) = &self.output {
            task.output = Some(output.clone());
        }
        if let Some(kind) = &self.kind {
            task.kind = kind.clone();
            // Steps are the kind's own: those of another kind would mean nothing to it.
            task.step = None;
        }
        if let Some(step) = &self.step {
            task.step = Some(step.clone());
        }
        if let Some(payload) = &self.payload {
            task.payload_len = payload.len();
            task.payload = Some(payload.clone());
        }
        task.touch(now);
    }
}
