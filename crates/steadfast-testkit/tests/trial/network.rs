//! A slow and lossy network between workers and server.

use super::crew::Crew;
use super::feed::{self, Feed};
use super::slow::SlowWire;
use super::witness::Witness;
use super::{adder, database, shown, size};
use crate::cluster::{self, Cluster};
use std::time::{Duration, Instant};
use steadfast_testkit::Random;

const WORKERS: usize = 3;
const WORDS: [&str; 2] = ["lease_ms=6000", "slots=16"];
/// Milliseconds that bytes are under way, each way.
const DELAY: std::ops::Range<usize> = 50..200;
/// How long nothing gets through, and how often.
const STAND: Duration = Duration::from_secs(2);
const STAND_EVERY: Duration = Duration::from_secs(4);
/// Time between two cuts, at most.
const CUT_MS_MAX: usize = 1_500;
const RECOVERY: Duration = Duration::from_secs(5);

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_and_lossy_network_loses_and_doubles_nothing() {
    let cluster = Cluster::new();
    let name = &database(&cluster).await;
    let wire = SlowWire::new(cluster.address());
    let witness = Witness::new(cluster.address(), name).await;
    let near = cluster::url(&wire.address(), name);
    let mut crew = Crew::new(near.clone());
    crew.start_all(WORKERS, &WORDS);
    let feed = Feed::start(&adder(&near).await, feed::mixed);
    wire.delay(DELAY);
    let storm = size(Duration::from_secs(5), Duration::from_secs(30));
    let cuts = storm_for(&wire, storm).await;
    wire.delay(0..1);
    let (since, calm) = (witness.now().await, Instant::now());
    let all = format!(
        "(select count(distinct worker) from trial_event where what = 'end' and at > {since}) >= {WORKERS}"
    );
    witness.wait("every worker's next end", &all).await;
    let recovery = calm.elapsed();
    let n = feed.stop().await;
    let tally = witness.all_ended(n).await;
    witness.none_open().await;
    shown(
        "survives a slow network",
        format!(
            "{storm:?} of {} to {} ms each way, stands of {STAND:?}, {cuts} connections cut, {n} tasks",
            DELAY.start, DELAY.end
        ),
        format!(
            "lost 0, doubled 0, live workers reaped {}, all working again after {recovery:.1?}",
            tally.reaps
        ),
        format!("lost 0, doubled 0, reaped 0, {RECOVERY:?}"),
        tally.reaps == 0 && recovery <= RECOVERY,
    );
}

/// Says how many connections were cut. The time is the trial's subject.
async fn storm_for(wire: &SlowWire, storm: Duration) -> usize {
    let (mut random, mut cuts, mut stood) = (Random::new(8), 0, Instant::now());
    let over = Instant::now() + storm;
    while Instant::now() < over {
        let pause = u64::try_from(random.below(CUT_MS_MAX)).expect("a short time");
        tokio::time::sleep(Duration::from_millis(pause)).await;
        wire.cut();
        cuts += 1;
        if stood.elapsed() > STAND_EVERY {
            wire.stand(STAND);
            stood = Instant::now();
        }
    }
    cuts
}
