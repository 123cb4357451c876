//! Everything that a handler can ask its run for. Each kind drops its call after as many polls as it was tried, so that
//! its retries walk through all await points; it is done when the call was.

use super::polled::polled;
use super::scene::new;
use crate::calls;
use std::pin::Pin;
use std::time::Duration;
use steadfast::{BoxError, Handler, Outcome, Policy, Retention, Retry, Run};

const AGAIN: Duration = Duration::from_millis(1);
const TRIES_MAX: u32 = 200;

type Asking = Pin<Box<dyn Future<Output = Result<Outcome, BoxError>> + Send>>;
type Ask = fn(Run) -> Asking;

/// What is asked, by the kind that asks it. `pays` leaves an effect, for which there must be one end.
const ASKS: [(&str, Ask); 7] = [
    ("progress", |run| done(async move { Ok(run.progress("half").await?) })),
    ("save", |run| done(async move { Ok(run.save(&1).await?) })),
    ("save_step", |run| done(async move { Ok(run.save_step("second", &2).await?) })),
    // Of repeats only the first counts, whether its caller waited or not.
    ("child", |run| done(async move { Ok(run.add(new().key(run.task().id.to_string())).await.map(drop)?) })),
    ("prepare", |run| done(async move { Ok(run.prepare(new()).await.map(drop)?) })),
    ("extend", |run| done(async move { Ok(run.extend(Duration::from_secs(60)).await?) })),
    ("pays", |run| Box::pin(async move { calls::pay(&run).await })),
];

pub(crate) fn kinds() -> impl Iterator<Item = &'static str> {
    ASKS.iter().map(|(kind, _)| *kind)
}

pub(crate) fn handlers() -> impl Iterator<Item = Handler> {
    ASKS.iter().map(|(kind, ask)| {
        let handler = Handler::of(*kind, move |run: Run| async move {
            let times = usize::try_from(run.task().attempt).expect("a few tries");
            match polled(ask(run), times).await {
                Some(answer) => answer,
                None => Ok(Outcome::retry("its caller did not wait")),
            }
        });
        handler.policy(policy())
    })
}

/// Nothing is kept of what ended, and what failed is tried again at once.
pub(crate) fn policy() -> Policy {
    let mut policy = Policy::default();
    policy.retention = Retention::Delete;
    policy.retry = Retry::fixed(AGAIN, TRIES_MAX);
    policy
}

fn done(asking: impl Future<Output = Result<(), BoxError>> + Send + 'static) -> Asking {
    Box::pin(async move { asking.await.map(|()| Outcome::Done) })
}
