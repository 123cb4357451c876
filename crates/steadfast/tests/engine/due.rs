//! What comes due while there is room runs at once, and was never ready.

use super::common::store;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use steadfast::{Builder, Engine, Handler, New, Policy, Run};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

const SOON: Duration = Duration::from_millis(10);
/// Enough for the first to be looked at and the next to be expected.
const WAVES: usize = 30;
const WAVE: usize = 20;

/// Of a task that was ready before it ran.
const BY_GRAB: i64 = 2;
/// Of one that was not.
const AT_ONCE: i64 = 1;

/// A handler that says how many changes its task has been through.
fn counting() -> (Handler, UnboundedReceiver<i64>) {
    let (ran, runs) = unbounded_channel();
    let handler = Handler::of("mail", move |run: Run| {
        let ran = ran.clone();
        async move { ran.send(run.task().version.get()).unwrap() }
    });
    (handler, runs)
}

async fn start(handler: Handler, slots: usize) -> Engine {
    let store = store();
    let builder = Builder::on(store.clone(), store).configure(|config| config.slots = slots);
    builder.register(handler).start().await.unwrap()
}

/// Lets wave after wave come due, each when the one before it has run; says what the runs said.
async fn waves(engine: &Engine, runs: &mut UnboundedReceiver<i64>) -> Vec<i64> {
    let mut said = Vec::new();
    for _ in 0..WAVES {
        engine.add_many((0..WAVE).map(|_| New::kind("mail", "").after(SOON))).await.unwrap();
        for _ in 0..WAVE {
            said.push(runs.recv().await.unwrap());
        }
    }
    said
}

#[tokio::test]
async fn what_comes_due_again_and_again_runs_at_once() {
    let (handler, mut runs) = counting();
    let engine = start(handler, 100).await;
    let said = waves(&engine, &mut runs).await;
    assert!(said.contains(&BY_GRAB), "nobody expects the first ones");
    assert!(said.contains(&AT_ONCE), "{said:?}");
}

#[tokio::test]
async fn whoever_runs_at_most_once_is_granted_for_good_before_it_runs() {
    let (handler, mut runs) = counting();
    let mut policy = Policy::default();
    policy.at_most_once = true;
    let engine = start(handler.policy(policy), 100).await;
    assert!(waves(&engine, &mut runs).await.iter().all(|changes| *changes == BY_GRAB));
}

#[tokio::test]
async fn under_a_limit_of_the_cluster_whoever_comes_due_is_counted_first() {
    let (handler, mut runs) = counting();
    let engine = start(handler.cluster_limit("mail", 50), 100).await;
    assert!(waves(&engine, &mut runs).await.iter().all(|changes| *changes == BY_GRAB));
}

#[tokio::test]
async fn of_all_that_comes_due_no_more_run_at_once_than_there_are_slots() {
    const SLOTS: usize = 3;
    let (running, (ran, mut runs)) = (Arc::new(AtomicUsize::new(0)), unbounded_channel());
    let handler = Handler::of("mail", move |run: Run| {
        let (running, ran) = (running.clone(), ran.clone());
        async move {
            assert!(running.fetch_add(1, Ordering::SeqCst) < SLOTS);
            tokio::task::yield_now().await;
            running.fetch_sub(1, Ordering::SeqCst);
            ran.send(run.task().version.get()).unwrap();
        }
    });
    let engine = start(handler, SLOTS).await;
    let said = waves(&engine, &mut runs).await;
    assert!(said.iter().all(|changes| [AT_ONCE, BY_GRAB].contains(changes)), "none was given back: {said:?}");
}
