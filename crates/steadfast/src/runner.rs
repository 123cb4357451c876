//! One run from its start to the change that ends it. Whatever the handler does, this future ends with an
//! [`End`]: a panic is a failure, a cancelled run is dropped at its next await.

use crate::around::Rest;
use crate::commit::commit;
use crate::handler::Handler;
use crate::reading;
use crate::run::Run;
use crate::shared::Shared;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;
use steadfast_core::abort::{self, Point};
use steadfast_core::effects;
use steadfast_core::seam::{Finished, Future, Save, Saved};
use steadfast_core::{Change, Fence, Outcome, Payload, Refusal, Task, When, decide, give_back};
use tokio_util::sync::CancellationToken;

/// How long a cancelled handler may take to tidy up before its future is dropped.
pub(crate) const CANCEL_GRACE: Duration = Duration::from_millis(500);

/// How a run ended.
pub(crate) enum End {
    /// The handler said so.
    Said(Change),
    /// It was stopped before it could; what gives it back, if it is still ours.
    Stopped(Change),
    /// It ended in the store already, together with its effects.
    Over(Finished),
}

/// Runs a task that this worker holds.
pub(crate) async fn run(
    shared: Arc<Shared>,
    handler: Arc<Handler>,
    mut task: Box<Task>,
    fence: Fence,
    cancel: CancellationToken,
) -> End {
    abort::pass(Point::RunStarted);
    if task.payload.is_none() {
        match load(&shared, &task, &cancel).await {
            Some(payload) => task.payload = Some(payload),
            None => return End::Stopped(give_back(&task, &handler.policy, false)),
        }
    }
    let mut steps = 0;
    let mut output: Option<String> = None;
    loop {
        steps += 1;
        let read = reading::read(&handler, &mut task, shared.unpacked_bytes_max());
        let run = Run::new(task, fence, cancel.clone(), Arc::clone(&shared));
        if let Some(earlier) = output.take() {
            run.output(earlier);
        }
        let rest = Rest::new(run.clone(), shared.around.clone(), handler.clone(), read.err());
        let said = attempt(&shared, rest.run(), &cancel).await;
        let Some(outcome) = said else { return End::Stopped(give_back(run.task(), &handler.policy, true)) };
        let outcome = kept(shared.keep(run.task(), handler.upcasters.stamp(outcome)).await);
        if cancel.is_cancelled() && gives_up(&outcome) {
            return End::Stopped(give_back(run.task(), &handler.policy, true));
        }
        if let Outcome::Effects(effects) = outcome {
            return commit(&shared, &run, &handler, effects).await;
        }
        match step_on(&shared, &run, &outcome, steps).await {
            Step::On(next) => (task, output) = (next, run.take_output()),
            Step::Lost => return End::Stopped(give_back(run.task(), &handler.policy, true)),
            Step::End => {
                let seed = shared.runtime.random();
                return End::Said(decide(run.task(), &handler.policy, outcome, run.take_output(), seed));
            }
        }
    }
}

/// An outcome that no store would keep is a failure for good: the handler would say the same again.
pub(crate) fn kept(checked: Result<Outcome, Refusal>) -> Outcome {
    checked
        .unwrap_or_else(|refusal| Outcome::Fail(format!("the handler's outcome cannot be kept: {refusal}")))
}

/// Reads a payload that was too large to come with the grab. None: the run is over before it began.
async fn load(shared: &Shared, task: &Task, cancel: &CancellationToken) -> Option<Payload> {
    let mut tries = 0;
    while !cancel.is_cancelled() {
        match shared.store.payload(task.id).await {
            Ok(payload) => return payload,
            Err(error) => tracing::warn!(task = %task.id, %error, "payload not read"),
        }
        shared.backoff(tries).await;
        tries += 1;
    }
    None
}

/// Polls the handler to its end; none if it was cancelled and did not end in time.
async fn attempt(shared: &Shared, mut call: Future<Outcome>, cancel: &CancellationToken) -> Option<Outcome> {
    let guarded = poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| call.as_mut().poll(context))) {
        Ok(poll) => poll,
        Err(panic) => std::task::Poll::Ready(Outcome::retry(effects::panicked(panic.as_ref()))),
    });
    let said = tokio::select! {
        biased;
        outcome = guarded => Some(outcome),
        () = async {
            cancel.cancelled().await;
            shared.runtime.sleep(CANCEL_GRACE).await;
        } => None,
    };
    // What a handler left behind may panic when it is dropped.
    match catch_unwind(AssertUnwindSafe(move || drop(call))) {
        Ok(()) => said,
        Err(panic) => Some(Outcome::retry(effects::panicked(panic.as_ref()))),
    }
}

/// A run that was told to stop and did not get to its end is given back: it neither failed nor goes on.
fn gives_up(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Retry { .. } | Outcome::Next { kind: None, when: When::Now, .. })
}

enum Step {
    On(Box<Task>),
    Lost,
    End,
}

/// A next step that is due at once keeps the grant: it is saved, and the handler runs again. After so many of them, or
/// when nobody is sure what was saved before, the task goes back to be ready, so that others get their turn.
async fn step_on(shared: &Shared, run: &Run, outcome: &Outcome, steps: usize) -> Step {
    let Outcome::Next { step, kind: None, payload, when: When::Now } = outcome else { return Step::End };
    let Some(reached) = run.reached().filter(|_| steps < shared.config.steps_max) else { return Step::End };
    let save = Save { step: step.clone(), payload: payload.clone(), progressed: true, ..run.unchanged() };
    match shared.save(save).await {
        Ok(Saved::Kept(version)) => {
            let mut next = reached;
            next.version = version;
            next.failures = 0;
            next.step = step.clone().or(next.step);
            next.payload = payload.clone().or(next.payload);
            Step::On(next)
        }
        Ok(Saved::Lost) => Step::Lost,
        // The finish says the same, and is repeated until the store has heard it.
        Err(_) => Step::End,
    }
}
