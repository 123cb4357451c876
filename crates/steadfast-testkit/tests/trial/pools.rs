//! As many slow transactions as there are connections.

use super::witness::Witness;
use super::{database, shown, size};
use crate::calls;
use crate::cluster::{self, Cluster};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use steadfast::{Engine, Handler, New, Policy, Retention, Run, StoreError};

const CONNECTIONS: usize = 4;
const LEASE: Duration = Duration::from_secs(1);
/// How long a run holds its transaction: longer than the lease.
const HOLDS: Duration = Duration::from_millis(1_500);
/// Longest that a call of somebody else may take meanwhile.
const CALL_MAX: Duration = Duration::from_secs(1);
/// Longest that a caller waits for a connection before it hears of it, and a little.
const WAIT_MAX: Duration = Duration::from_secs(11);

#[tokio::test(flavor = "multi_thread")]
async fn slow_transactions_on_all_connections_hold_up_nobody_else() {
    let cluster = Cluster::shared();
    let name = &database(&cluster).await;
    let url = cluster::url(&cluster.address(), name);
    let witness = Witness::new(cluster.address(), name).await;
    let engine = start(&url).await;
    let slow = size(1, 4) * CONNECTIONS;
    let numbers = Arc::new(AtomicU64::new(0));
    let new = |kind| New::kind(kind, numbers.fetch_add(1, Ordering::Relaxed).to_string());
    engine.add_many((0..slow).map(|_| new("pays"))).await.expect("they are added");
    let (mut slowest, mut adds) = (Duration::ZERO, 0);
    while witness.tally().await.ended < i64::try_from(slow + adds).expect("a few") {
        let began = Instant::now();
        engine.add(new("quick")).await.expect("others add");
        slowest = slowest.max(began.elapsed());
        adds += 1;
        // The load is light; how long calls take is the trial's subject.
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let tally = witness.all_ended(u64::try_from(slow + adds).expect("a few")).await;
    let (heard, told) = wait_for_one_more(&engine).await;
    // A sample shares the machine with the other trials.
    let call_max = size(CALL_MAX * 5, CALL_MAX);
    shown(
        "a pool that is used up",
        format!(
            "{slow} runs that hold one of {CONNECTIONS} connections for {HOLDS:?} each, lease {LEASE:?}, {adds} adds"
        ),
        format!(
            "reaped {}, slowest add {slowest:.1?}; with all held for good, one more hears after {heard:.1?}: {told}",
            tally.reaps
        ),
        format!("reaped 0, {call_max:?}, busy within {WAIT_MAX:?}"),
        tally.reaps == 0 && slowest <= call_max && heard <= WAIT_MAX,
    );
}

async fn start(url: &str) -> Engine {
    let mut policy = Policy::default();
    policy.retention = Retention::Delete;
    let quick = Handler::of("quick", |_: Run| async {}).policy(policy.clone());
    let pays = Handler::of("pays", |run: Run| async move { calls::pay_slowly(&run, HOLDS).await });
    let builder =
        calls::with_connections(url, CONNECTIONS).await.register(quick).register(pays.policy(policy));
    builder.configure(|config| config.lease = LEASE).start().await.expect("the engine starts")
}

/// Holds all connections and asks for another.
async fn wait_for_one_more(engine: &Engine) -> (Duration, String) {
    let mut held = Vec::new();
    for _ in 0..CONNECTIONS {
        held.push(calls::begin(engine).await.expect("it begins"));
    }
    let began = Instant::now();
    match calls::begin(engine).await {
        Err(StoreError::Busy(told)) => (began.elapsed(), told),
        Err(error) => panic!("one more heard {error:?}"),
        Ok(_) => panic!("one more than there are"),
    }
}
