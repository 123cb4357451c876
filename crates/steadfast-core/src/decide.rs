//! What follows from the end of a run. Pure: the same task, policy and outcome give the same change.

use crate::change::{Change, To};
use crate::errors::Errors;
use crate::limit::REPORT_BYTES_MAX;
use crate::outcome::Outcome;
use crate::payload::Payload;
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
    let mut change = said(task, policy, outcome, seed);
    change.output = output.map(report);
    change
}

fn said(task: &Task, policy: &Policy, outcome: Outcome, seed: u64) -> Change {
    match outcome {
        Outcome::Done => Change::of(task, To::Done(policy.retention)),
        Outcome::Next { step, kind, payload, when } => {
            Change { step, kind, payload, failures: 0, ..Change::of(task, To::Run(when)) }
        }
        Outcome::Wait { until, payload } => {
            Change { payload, failures: 0, ..Change::of(task, To::Run(until)) }
        }
        Outcome::Retry { why, after, payload, then } => {
            failed(task, policy, Failed { why: &why, after, payload, then }, seed)
        }
        Outcome::Fail(why) => Change {
            errors: Some(errors(task, &why)),
            failures: task.failures.saturating_add(1),
            ..Change::of(task, To::Error)
        },
        Outcome::Later { until } => Change::of(task, To::Parked(until)),
        // The engine hands effects to the store, which asks again with what they say.
        Outcome::Effects(_) => {
            let why =
                "effects cannot be carried out here: return them from a handler, not from other effects";
            said(task, policy, Outcome::Fail(why.into()), seed)
        }
    }
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
        Hang::Retry | Hang::Ignore if !policy.at_most_once => {
            return failed(task, policy, Failed { why, after: None, payload: None, then: None }, seed);
        }
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

/// A failure that may be tried again.
struct Failed<'a> {
    why: &'a str,
    after: Option<When>,
    payload: Option<Payload>,
    then: Option<Box<Outcome>>,
}

fn failed(task: &Task, policy: &Policy, failed: Failed<'_>, seed: u64) -> Change {
    let failures = task.failures.saturating_add(1);
    let errors = errors(task, failed.why);
    let Some(delay) = policy.retry.delay(failures, seed) else {
        return used_up(task, policy, Task { failures, errors, ..task.clone() }, failed);
    };
    let when = failed.after.unwrap_or_else(|| match policy.retry.base() {
        Base::Now => When::After(delay),
        Base::Original => When::At(task.base_at.after(delay)),
    });
    let payload = failed.payload;
    Change { failures, errors: Some(errors), payload, ..Change::of(task, To::Run(when)) }
}

/// No retry is left: the task goes on as what the handler named for that, or the policy, or else to a person.
fn used_up(task: &Task, policy: &Policy, counted: Task, failed: Failed<'_>) -> Change {
    let then = failed.then.map(|then| *then).or_else(|| policy.then.as_ref().map(Outcome::from));
    let change = match then.filter(|then| leads_on(task, then)) {
        // Nothing in it is left to chance.
        Some(then) => said(&counted, policy, then, 0),
        None => Change::of(&counted, To::Error),
    };
    let payload = change.payload.or(failed.payload);
    Change { payload, errors: change.errors.or(Some(counted.errors)), ..change }
}

/// Whether an outcome gets a task out of where its retries were used up. If it does not, they would begin anew for ever.
fn leads_on(task: &Task, then: &Outcome) -> bool {
    match then {
        Outcome::Next { step, kind: Some(kind), .. } => (kind, step) != (&task.kind, &task.step),
        Outcome::Next { step, kind: None, .. } => step.is_some() && *step != task.step,
        Outcome::Done | Outcome::Fail(_) | Outcome::Later { .. } => true,
        Outcome::Wait { .. } | Outcome::Retry { .. } | Outcome::Effects(_) => false,
    }
}

fn errors(task: &Task, why: &str) -> Errors {
    task.errors.with(task.attempt, why)
}
