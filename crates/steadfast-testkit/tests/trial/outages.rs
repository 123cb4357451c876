//! Trial 2: the server crashes, sessions are ended, replies get lost. Nothing is lost or doubled, work goes on at once, and
//! nobody who lives is reaped.

use super::crew::Crew;
use super::feed::{self, Feed};
use super::wire::Wire;
use super::witness::{PATIENCE, Witness};
use super::{adder, database, shown, size};
use crate::cluster::{self, Cluster};
use crate::messages::CUTS;
use std::time::{Duration, Instant};
use steadfast_testkit::Random;

/// How long after the server accepts connections every worker must have ended a run.
const RECOVERY: Duration = Duration::from_secs(5);
const WORKERS: usize = 4;
/// Shorter than some of the outages, so that leases run out in them.
const WORDS: [&str; 2] = ["lease_ms=3000", "slots=16"];

/// A cluster with workers at work, seen through a wire.
struct Scene {
    cluster: Cluster,
    wire: Wire,
    witness: Witness,
    /// They work as long as this is there.
    _crew: Crew,
    feed: Feed,
}

impl Scene {
    async fn new() -> Self {
        let cluster = Cluster::new();
        let name = &database(&cluster).await;
        let wire = Wire::new(cluster.address());
        let witness = Witness::new(cluster.address(), name).await;
        let near = cluster::url(&wire.address(), name);
        let mut crew = Crew::new(near.clone());
        crew.start_all(WORKERS, &WORDS);
        let feed = Feed::start(&adder(&near).await, feed::mixed);
        let scene = Self { cluster, wire, witness, _crew: crew, feed };
        scene.works_again().await;
        scene
    }

    /// Waits until every worker ended a run that it was not done with before; says how long the last one took.
    async fn works_again(&self) -> Duration {
        let since = self.witness.now().await;
        let all = format!(
            "(select count(distinct worker) from trial_event where what = 'end' and at > {since}) >= {WORKERS}"
        );
        self.witness.wait("every worker's next end", &all).await;
        let sql = format!(
            "select max(first) - {since} from \
             (select min(at) as first from trial_event where what = 'end' and at > {since} group by worker) as w"
        );
        Duration::from_secs_f64(self.witness.number(&sql).await)
    }

    /// All ends well: nothing lost, nothing doubled, nobody reaped, no transaction left open.
    async fn end(self, promise: &'static str, done: String, slowest: Duration) {
        let n = self.feed.stop().await;
        let tally = self.witness.all_ended(n).await;
        self.witness.none_open().await;
        shown(
            promise,
            format!("{done}, {n} tasks"),
            format!(
                "lost 0, doubled 0, live workers reaped {}, all working again after {slowest:.1?}",
                tally.reaps
            ),
            format!("lost 0, doubled 0, reaped 0, {RECOVERY:?}"),
            tally.reaps == 0 && slowest <= RECOVERY,
        );
    }
}

// M-05.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_crashes_under_load_loses_and_doubles_nothing() {
    let scene = Scene::new().await;
    let crashes = size(2, 20);
    let mut random = Random::new(2);
    let mut slowest = Duration::ZERO;
    for crash in 0..crashes {
        scene.cluster.crash(crash);
        // Some outages are shorter than the lease, some are longer. The time is the trial's subject, not its signal.
        let away = if crash % 4 < 2 { 200 } else { 1000 + random.below(4000) };
        tokio::time::sleep(Duration::from_millis(u64::try_from(away).unwrap())).await;
        scene.cluster.start();
        slowest = slowest.max(scene.works_again().await);
    }
    scene.end("survives a crash of its server", format!("{crashes} crashes under load"), slowest).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_that_are_ended_at_random_lose_and_double_nothing() {
    let scene = Scene::new().await;
    let ends = size(10, 100);
    let mut client = scene.witness.client().await;
    let mut ended = 0;
    while ended < ends {
        ended += client.end_a_session().await;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let slowest = scene.works_again().await;
    scene.end("survives lost connections", format!("{ends} sessions ended under load"), slowest).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn replies_that_get_lost_lose_and_double_nothing() {
    let scene = Scene::new().await;
    // Every other one loses the request instead, of which nobody knows either.
    let cuts: u64 = size(20, 1000);
    for nth in 1..=cuts {
        scene.wire.only(CUTS[usize::try_from(nth).unwrap() % CUTS.len()]);
        scene.wire.cut();
        let began = Instant::now();
        while scene.wire.cuts().values().sum::<u64>() < nth {
            assert!(began.elapsed() < PATIENCE, "nothing was written: {:?}", scene.wire.cuts());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
    let slowest = scene.works_again().await;
    println!("cut: {:?}", scene.wire.cuts());
    scene
        .end(
            "settles unknown commits",
            format!("{} replies to commits lost, {} commits that never arrived", cuts.div_ceil(2), cuts / 2),
            slowest,
        )
        .await;
}
