//! The handlers: what the partners of the payout service do with a task. Runs in the workers.

use super::line::{self, Line};
use super::story;
use std::time::{Duration, SystemTime};
use steadfast::{Builder, Handler, Outcome, Policy, Retry, Run, Time, When};

/// How often a flaky partner fails before it works.
const FLAKY_FAILURES: u32 = 2;
/// How long the clerk may take for an identity check.
const CLERK_MAX: Duration = Duration::from_secs(600);

/// Registers a handler for each kind of the story.
pub(super) fn register(builder: Builder) -> Builder {
    story::KINDS.into_iter().fold(builder, |builder, kind| builder.register(handler(kind)))
}

fn handler(kind: &'static str) -> Handler {
    let handler = Handler::of(kind, move |run: Run| async move {
        report(kind, &run);
        tokio::time::sleep(duration(kind)).await;
        answer(kind, &run)
    });
    let mut policy = Policy::default();
    policy.retry = Retry::list([500, 1_000, 2_000].map(Duration::from_millis));
    match story::limit(kind) {
        Some(limit) => handler.policy(policy).limit(limit),
        None => handler.policy(policy),
    }
}

/// How long a partner takes.
fn duration(kind: &str) -> Duration {
    Duration::from_millis(match kind {
        story::SLOWBANK => 10,
        story::STANDARD => 250,
        _ => 40,
    })
}

fn answer(kind: &str, run: &Run) -> Outcome {
    match kind {
        story::FLAKYBANK if run.task().failures < FLAKY_FAILURES => Outcome::retry("the partner is down"),
        story::CLOSED => Outcome::Fail("the account is closed".into()),
        story::IDENTITY => identity(run),
        _ => Outcome::Done,
    }
}

/// An identity check reads the document, waits for a person, and goes on with what the person said.
fn identity(run: &Run) -> Outcome {
    match run.task().step.as_deref() {
        None => Outcome::step("document"),
        Some("document") => {
            line::say(&Line::Parked { token: run.token() });
            Outcome::Later { until: When::After(CLERK_MAX) }
        }
        Some(_) => Outcome::Done,
    }
}

/// Tells the parent how long a task waited for its first run. Later runs waited for other reasons.
fn report(kind: &str, run: &Run) {
    let task = run.task();
    if task.attempt > 1 || task.step.is_some() {
        return;
    }
    if let Ok(now) = Time::from_system("now", SystemTime::now()) {
        line::say(&Line::Started { kind: kind.to_owned(), waited: now.since(task.ready_at) });
    }
}
