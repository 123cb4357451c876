//! Limits across workers, with several engines on one store.

// A test that cannot go on says so by a panic.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use steadfast::core::seam::SystemClock;
use steadfast::{Builder, Engine, Handler, New, Retention, Run};
use steadfast_memory::MemoryStore;

const TASKS: usize = 600;
const WORK: Duration = Duration::from_millis(10);

/// How many run, and how many at most did.
#[derive(Default)]
struct Gauge {
    now: AtomicUsize,
    most: AtomicUsize,
    ended: AtomicUsize,
    /// How many ran at the end of each run, all together.
    seen: AtomicUsize,
}

fn handler(kind: &str, gauge: &Arc<Gauge>) -> Handler {
    let gauge = gauge.clone();
    let mut policy = steadfast::Policy::default();
    policy.retention = Retention::Delete;
    let work = move |_: Run| {
        let gauge = gauge.clone();
        async move {
            let now = gauge.now.fetch_add(1, Ordering::SeqCst) + 1;
            gauge.most.fetch_max(now, Ordering::SeqCst);
            tokio::time::sleep(WORK).await;
            gauge.seen.fetch_add(gauge.now.fetch_sub(1, Ordering::SeqCst), Ordering::SeqCst);
            gauge.ended.fetch_add(1, Ordering::SeqCst);
        }
    };
    Handler::of(kind, work).policy(policy)
}

async fn engines(n: usize, handlers: impl Fn() -> Vec<Handler>) -> Vec<Engine> {
    let store = Arc::new(MemoryStore::new(Arc::new(SystemClock)));
    let mut engines = Vec::new();
    for _ in 0..n {
        let builder = Builder::on(store.clone(), store.clone());
        engines.push(handlers().into_iter().fold(builder, Builder::register).start().await.unwrap());
    }
    engines
}

async fn ended(gauge: &Gauge, n: usize) {
    let all = async {
        while gauge.ended.load(Ordering::SeqCst) < n {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), all).await.expect("all tasks end");
}

#[tokio::test]
async fn a_limit_over_four_workers_is_never_passed_and_well_used() {
    let gauge = Arc::new(Gauge::default());
    let engines = engines(4, || vec![handler("pay", &gauge).cluster_limit("bank", 5)]).await;
    engines[0].add_many((0..TASKS).map(|_| New::kind("pay", ""))).await.unwrap();
    ended(&gauge, TASKS).await;

    assert_eq!(gauge.most.load(Ordering::SeqCst), 5);
    // However slow the machine is: whoever ends a run sees most of the others running.
    let used = gauge.seen.load(Ordering::SeqCst) / TASKS;
    assert!(used >= 3, "only {used} of 5 were used on average");
}

#[tokio::test]
async fn a_tree_of_limits_holds_at_every_level() {
    let (all, one) = (Arc::new(Gauge::default()), Arc::new(Gauge::default()));
    let handlers = || {
        let tree = |handler: Handler| handler.cluster_limit("all", 6).cluster_limit("*", 4);
        vec![tree(handler("pay|A", &one)), tree(handler("pay", &all))]
    };
    let engines = engines(3, handlers).await;
    for kind in ["pay|A", "pay|B", "pay|C"] {
        engines[0].add_many((0..60).map(|_| New::kind(kind, ""))).await.unwrap();
    }
    ended(&one, 60).await;
    ended(&all, 120).await;
    assert!(one.most.load(Ordering::SeqCst) <= 4);
    assert!(all.most.load(Ordering::SeqCst) <= 6);
}

#[tokio::test]
async fn a_full_cluster_stands_in_no_other_kinds_way() {
    let (slow, quick) = (Arc::new(Gauge::default()), Arc::new(Gauge::default()));
    let handlers = || {
        let stuck = Handler::of("stuck", |run: Run| async move { run.cancelled().await });
        vec![stuck.cluster_limit("bank", 2), handler("mail", &quick), handler("slow", &slow)]
    };
    let engines = engines(2, handlers).await;
    engines[0].add_many((0..5000).map(|_| New::kind("stuck", ""))).await.unwrap();
    engines[0].add_many((0..200).map(|_| New::kind("mail", ""))).await.unwrap();
    ended(&quick, 200).await;
}
