//! What limits cost, in real time: to be run on each store.

use std::sync::Arc;
use std::time::{Duration, Instant};
use steadfast::{Builder, Handler, Limit, New, Policy, Retention, Run};
use steadfast_core::{Hints, Store};
use tokio::sync::mpsc;

/// Tasks of the slow partner, and how many of each partner may run.
const BACKLOG: usize = 10_000;
const EACH: usize = 3;
/// Tasks of the other partner, and how long each takes.
const QUICK: usize = 10;
const WORK: Duration = Duration::from_millis(100);
/// Rounds of a comparison.
const ROUNDS: usize = 9;

/// How long ten tasks of one partner take, alone or behind ten thousand of one that does not answer.
pub async fn ten_of_a_partner<S: Store + Hints>(store: &Arc<S>, behind: bool) -> Duration {
    let (told, mut starts) = mpsc::unbounded_channel();
    let handler = Handler::of("pay", move |run: Run| {
        let told = told.clone();
        async move {
            if run.task().kind.as_str() == "pay|SLOW" {
                let _ = told.send(());
                run.cancelled().await;
            } else {
                tokio::time::sleep(WORK).await;
            }
            let _ = told.send(());
        }
    });
    let builder = Builder::on(store.clone(), store.clone()).register(handler.limit(Limit::each(EACH)));
    let engine = builder.configure(|config| config.grace = Duration::ZERO).start().await.expect("it starts");
    if behind {
        engine.add_many((0..BACKLOG).map(|_| New::kind("pay|SLOW", ""))).await.expect("they are added");
        for _ in 0..EACH {
            starts.recv().await;
        }
    }
    let began = Instant::now();
    engine.add_many((0..QUICK).map(|_| New::kind("pay|QUICK", ""))).await.expect("they are added");
    for _ in 0..QUICK {
        starts.recv().await;
    }
    let took = began.elapsed();
    let _ = engine.drain().await;
    took
}

/// What is left of the speed of a drain under a limit of the cluster that is never reached: the middle of rounds in
/// which both take turns, each on a store of its own.
pub async fn limited_of_free<S: Store + Hints>(mut open: impl AsyncFnMut() -> Arc<S>) -> f64 {
    let mut ratios = Vec::new();
    for _ in 0..ROUNDS {
        let free = drain(&open().await, false, 2 * BACKLOG).await;
        let limited = drain(&open().await, true, 2 * BACKLOG).await;
        ratios.push(free.as_secs_f64() / limited.as_secs_f64());
    }
    ratios.sort_by(f64::total_cmp);
    println!("speed under a limit that is never reached, of that without: {ratios:.2?}");
    ratios[ROUNDS / 2]
}

/// How long a worker takes for so many tasks that do nothing.
async fn drain<S: Store + Hints>(store: &Arc<S>, limited: bool, n: usize) -> Duration {
    let adder = Builder::on(store.clone(), store.clone()).start().await.expect("it starts");
    for _ in (0..n).step_by(BACKLOG) {
        adder.add_many((0..BACKLOG.min(n)).map(|_| New::kind("count", ""))).await.expect("they are added");
    }
    let (told, mut ends) = mpsc::unbounded_channel();
    let handler = Handler::of("count", move |_: Run| {
        let told = told.clone();
        async move {
            let _ = told.send(());
        }
    });
    let mut policy = Policy::default();
    policy.retention = Retention::Delete;
    let handler = handler.policy(policy);
    let handler = if limited { handler.cluster_limit("bank", 1000) } else { handler };
    let began = Instant::now();
    let engine =
        Builder::on(store.clone(), store.clone()).register(handler).start().await.expect("it starts");
    for _ in 0..n {
        ends.recv().await;
    }
    let took = began.elapsed();
    let _ = engine.drain().await;
    took
}
