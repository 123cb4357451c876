//! Hints that nobody hears, or that everybody hears ten times; and what that costs, in real time: to be run on each store.

use crate::Shown;
use std::sync::Arc;
use std::time::{Duration, Instant};
use steadfast::{Builder, Engine, Handler, New, Policy, Retention, Run};
use steadfast_core::seam::Ear;
use steadfast_core::{Hint, Hints, Store};
use tokio::sync::mpsc;

/// Nobody is told, and nobody hears.
struct Deaf;

/// Everything is said so many times.
struct Echo<H>(Arc<H>, usize);

impl Hints for Deaf {
    fn ring(&self, _: Hint) {}
    fn listen(&self, _: Ear) {}
}

impl<H: Hints> Hints for Echo<H> {
    fn ring(&self, hint: Hint) {
        for _ in 0..self.1 {
            self.0.ring(hint.clone());
        }
    }

    fn listen(&self, ear: Ear) {
        self.0.listen(ear);
    }
}

/// The sweep's second, and half of another for the look and the grab.
const LATE_MAX: Duration = Duration::from_millis(1500);
const EVERY: Duration = Duration::from_millis(10);
const TIMES: usize = 10;
const LEAST: f64 = 0.8;
/// Rounds of a comparison, of which the middle counts.
const ROUNDS: usize = 5;

/// Adds tasks in one engine and runs them in another, with no hint between them: each starts with the next sweep.
pub async fn without_hints<S: Store + Hints>(name: &'static str, store: &Arc<S>, n: usize) {
    let (told, mut waits) = mpsc::unbounded_channel();
    let began = Instant::now();
    let handler = Handler::of("late", move |run: Run| {
        let told = told.clone();
        async move {
            let added = Duration::from_micros(run.payload().expect("when it was added"));
            let _ = told.send(began.elapsed().saturating_sub(added));
        }
    });
    let runs = start(Builder::on(store.clone(), Arc::new(Deaf)).register(handler)).await;
    let adds = start(Builder::on(store.clone(), Arc::new(Deaf))).await;
    let mut ticks = tokio::time::interval(EVERY);
    for _ in 0..n {
        ticks.tick().await;
        let now = u64::try_from(began.elapsed().as_micros()).expect("a short time");
        adds.add(New::json("late", &now)).await.expect("it is added");
    }
    let mut all = Vec::new();
    for _ in 0..n {
        all.push(waits.recv().await.expect("a start"));
    }
    let _ = (adds.drain().await, runs.drain().await);
    all.sort();
    let (p50, p99) = (all[n / 2], all[n * 99 / 100]);
    Shown {
        promise: "G7 lost hints",
        store: name,
        done: format!("{n} adds at 100/s from another engine, no hint gets through"),
        seen: format!("all done, started after p50 {p50:.0?}, p99 {p99:.0?}"),
        bar: format!("all done, p99 {LATE_MAX:?}"),
        ok: p99 <= LATE_MAX,
    }
    .hold();
}

/// Runs tasks with each hint said once, and said ten times.
pub async fn with_echoes<S: Store + Hints>(
    name: &'static str,
    n: usize,
    mut open: impl AsyncFnMut() -> Arc<S>,
) {
    let mut ratios = Vec::new();
    for _ in 0..ROUNDS {
        let once = drain(&open().await, 1, n).await;
        let often = drain(&open().await, TIMES, n).await;
        ratios.push(once.as_secs_f64() / often.as_secs_f64());
    }
    ratios.sort_by(f64::total_cmp);
    let ratio = ratios[ROUNDS / 2];
    Shown {
        promise: "G7 lost hints",
        store: name,
        done: format!("{n} tasks from another engine, every hint said {TIMES} times"),
        seen: format!("{:.0} % of the speed without repeats", ratio * 100.0),
        bar: format!(">= {:.0} %", LEAST * 100.0),
        ok: ratio >= LEAST,
    }
    .hold();
}

/// How long it takes until all tasks that one engine adds, bit by bit, have run in another.
async fn drain<S: Store + Hints>(store: &Arc<S>, times: usize, n: usize) -> Duration {
    let (told, mut ends) = mpsc::unbounded_channel();
    let handler = Handler::of("count", move |_: Run| {
        let told = told.clone();
        async move {
            let _ = told.send(());
        }
    });
    let mut policy = Policy::default();
    policy.retention = Retention::Delete;
    let hints = || Arc::new(Echo(store.clone(), times));
    let runs = start(Builder::on(store.clone(), hints()).register(handler.policy(policy))).await;
    let adds = start(Builder::on(store.clone(), hints())).await;
    let began = Instant::now();
    for _ in (0..n).step_by(BATCH) {
        adds.add_many((0..BATCH).map(|_| New::kind("count", ""))).await.expect("they are added");
    }
    for _ in 0..n {
        ends.recv().await;
    }
    let took = began.elapsed();
    let _ = (adds.drain().await, runs.drain().await);
    took
}

/// Tasks in one call, so that there are many hints.
const BATCH: usize = 10;

async fn start(builder: Builder) -> Engine {
    builder.start().await.expect("it starts")
}
