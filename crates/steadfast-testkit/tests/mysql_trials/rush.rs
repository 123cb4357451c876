//! Sixteen workers who all add and all grab, as fast as they can.

use crate::cluster::{self, Cluster};
use crate::trial::witness::Witness;
use crate::trial::{database, feed, shown, size};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use steadfast::{Engine, Handler, Policy, Retention, Run};

const WORKERS: usize = 16;
const BATCH: u64 = 10;

#[tokio::test(flavor = "multi_thread")]
async fn sixteen_workers_that_add_and_grab_see_no_deadlock() {
    let cluster = Cluster::shared();
    let name = &database(&cluster).await;
    let url = cluster::url(&cluster.address(), name);
    let witness = Witness::new(cluster.address(), name).await;
    let until = Instant::now() + size(Duration::from_secs(2), Duration::from_secs(60));
    let next = Arc::new(AtomicU64::new(0));
    let mut engines = Vec::new();
    for _ in 0..WORKERS {
        engines.push(worker(&url).await);
    }
    let callers: Vec<_> =
        engines.iter().map(|engine| tokio::spawn(add(engine.clone(), next.clone(), until))).collect();
    for caller in callers {
        caller.await.expect("no add fails");
    }
    let n = next.load(Ordering::SeqCst);
    let tally = witness.all_ended(n).await;
    let deadlocks = witness.client().await.counted("Innodb_deadlocks").await;
    shown(
        "no deadlock reaches a caller",
        format!("{WORKERS} workers add and grab as fast as they can, {n} tasks"),
        format!(
            "adds that failed 0, lost 0, doubled 0, reaps {}, deadlocks that the server broke {deadlocks}",
            tally.reaps
        ),
        "adds that failed 0, lost 0, doubled 0, reaps 0",
        tally.reaps == 0,
    );
}

async fn worker(url: &str) -> Engine {
    let mut policy = Policy::default();
    policy.retention = Retention::Delete;
    let handler = Handler::of("quick", |_: Run| async {}).policy(policy);
    let builder = steadfast::connect(url).await.expect("the store opens").register(handler);
    builder.start().await.expect("the engine starts")
}

/// Adds without repeating anything: whatever fails is seen.
async fn add(engine: Engine, next: Arc<AtomicU64>, until: Instant) {
    while Instant::now() < until {
        let start = next.fetch_add(BATCH, Ordering::SeqCst);
        engine.add_many((start..start + BATCH).map(feed::mixed)).await.expect("it is added");
    }
}
