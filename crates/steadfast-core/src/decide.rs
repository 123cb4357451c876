//! What follows from the end of a run. Pure: the same task, policy and outcome give the same change.

use crate::change::{Change, To};
use crate::errors::Errors;
use crate::limit::REPORT_BYTES_MAX;
use crate::outcome::Outcome;
use crate::policy::{Hang, Policy};
use crate::retry::Base;
use crate::task::Task;
use crate::text;
use crate::time::When;

/// What a handler's outcome means for its task. An outcome that no store could keep is a failure for good: the
/// handler would say the same again. `seed` feeds the jitter of the retry delay.
pub fn decide(task: &Task, policy: &Policy, outcome: Outcome, output: Option<String>, seed: u64) -> Change {
    // The engine refuses payloads over its own limit before; here no limit is known.
    let outcome = match outcome.check(usize::MAX) {
        Ok(()) => outcome,
        Err(refusal) => Outcome::Fail(format!("the outcome was refused: {refusal}")),
    };
    let mut change = match outcome {
        Outcome::Done => Change::of(task, To::Done(policy.retention)),
        Outcome::Next { step, kind, payload, when } => {
            Change { step, kind, payload, failures: 0, ..Change::of(task, To::Run(when)) }
        }
        Outcome::Wait { until, payload } => {
            Change { payload, failures: 0, ..Change::of(task, To::Run(until)) }
        }
        Outcome::Retry { why, after } => failed(task, policy, &why, after, seed),
        Outcome::Fail(why) => Change {
            errors: Some(errors(task, &why)),
            failures: task.failures.saturating_add(1),
            ..Change::of(task, To::Error)
        },
        Outcome::Later { until } => Change::of(task, To::Parked(until)),
    };
    change.output = output.map(report);
    change
}

/// What becomes of a run whose worker died. Such runs have a limit of their own: a task that takes its
/// worker down must not do so for ever, and one that was merely nearby must not use up its retries.
pub fn lost(task: &Task, policy: &Policy) -> Change {
    let lost = task.lost.saturating_add(1);
    let (to, why) = if policy.at_most_once {
        (To::Error, "worker lost; the kind runs at most once".to_owned())
    } else if lost >= policy.lost_max {
        (To::Error, format!("worker lost {lost} times; the task may be what kills it"))
    } else {
        (To::Back, "worker lost".to_owned())
    };
    Change { lost, errors: Some(errors(task, &why)), ..Change::of(task, to) }
}

/// A progress text or output, cut to what is kept of it.
pub fn report(text: impl Into<String>) -> String {
    let text = text.into();
    if text.len() <= REPORT_BYTES_MAX { text } else { text::trim(&text, REPORT_BYTES_MAX) }
}

/// What becomes of a run past its deadline, or of a parked task that nobody finished in time. Whether a run may be
/// taken at all, [`Policy::lets_hang`] says.
pub fn overdue(task: &Task, policy: &Policy, seed: u64) -> Change {
    let why = if task.status == crate::Status::Parked { "not finished in time" } else { "deadline passed" };
    let to = match policy.hang {
        Hang::Retry | Hang::Ignore if !policy.at_most_once => return failed(task, policy, why, None, seed),
        Hang::Retry | Hang::Ignore | Hang::Error => To::Error,
        Hang::Failed => To::Failed,
    };
    let failures = task.failures.saturating_add(1);
    Change { errors: Some(errors(task, why)), failures, ..Change::of(task, to) }
}

/// Gives a run back that its worker did not let end: its attempt does not count. A run that had started
/// under a policy of at most once may have done its work: a person decides.
pub fn give_back(task: &Task, policy: &Policy, started: bool) -> Change {
    if started && policy.at_most_once {
        let why = "given back while running; the kind runs at most once";
        return Change { errors: Some(errors(task, why)), ..Change::of(task, To::Error) };
    }
    Change { attempt: task.attempt.saturating_sub(1), ..Change::of(task, To::Back) }
}

fn failed(task: &Task, policy: &Policy, why: &str, after: Option<When>, seed: u64) -> Change {
    let failures = task.failures.saturating_add(1);
    let to = match (policy.retry.delay(failures, seed), after) {
        (None, _) => To::Error,
        (Some(_), Some(when)) => To::Run(when),
        (Some(delay), None) => To::Run(match policy.retry.base() {
            Base::Now => When::After(delay),
            Base::Original => When::At(task.base_at.after(delay)),
        }),
    };
    Change { failures, errors: Some(errors(task, why)), ..Change::of(task, to) }
}

fn errors(task: &Task, why: &str) -> Errors {
    task.errors.with(task.attempt, why)
}
