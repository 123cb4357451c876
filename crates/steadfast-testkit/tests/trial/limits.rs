//! Trial 6: a limit of the cluster over four worker processes.

use super::crew::Crew;
use super::witness::Witness;
use super::{adder, database, feed, shown, size};
use crate::client;
use crate::cluster::{self, Cluster};
use std::time::{Duration, Instant};
use steadfast::New;
use steadfast_testkit::Random;

const WORKERS: usize = 4;
const LIMIT: i64 = 5;
/// How many tasks are added at once, and how few are left by then.
const BATCH: u64 = 1000;
const BATCH_LOW: i64 = 200;
/// How often a worker is killed.
const KILL_EVERY: Duration = Duration::from_secs(3);

/// What a trial saw.
struct Seen {
    /// Most runs at once, by the trigger at every grab and by looks from outside.
    most: i64,
    /// Runs at once on average, while enough was waiting.
    used: f64,
    reaps: i64,
    took: Duration,
}

/// Runs tasks under the limit, with workers that are killed or not.
async fn run(n: u64, work_ms: u64, kills: bool) -> Seen {
    let cluster = Cluster::shared();
    let name = &database(&cluster).await;
    let url = cluster::url(&cluster.address(), name);
    let witness = Witness::new(cluster.address(), name).await;
    witness.client().await.run(client::CROWDS).await;
    let engine = adder(&url).await;
    let mut crew = Crew::new(url.clone());
    let (work, limit) = (format!("work_ms={work_ms}"), format!("limit={LIMIT}"));
    let words = ["lease_ms=1000", "slots=32", &work, &limit];
    let mut working: Vec<usize> = crew.start_all(WORKERS, &words);
    let mut added = 0;
    let (mut client, mut random, began, mut killed) =
        (witness.client().await, Random::new(6), Instant::now(), Instant::now());
    let (mut most, mut sum, mut looks) = (0, 0, 0);
    loop {
        let row = client.row("select count(case when status = 5 then 1 end), count(*) from trial_task").await;
        let [running, left] = [&row[0], &row[1]].map(|n| n.parse::<i64>().expect("a count"));
        most = most.max(running);
        // A few at a time: whoever looks that often must not count tens of thousands each time.
        if added < n && left < BATCH_LOW {
            feed::add(&engine, added..(added + BATCH).min(n), limited).await;
            added = (added + BATCH).min(n);
        } else if left == 0 {
            break;
        }
        if left > LIMIT * 4 && began.elapsed() > Duration::from_millis(500) {
            sum += running;
            looks += 1;
        }
        if kills && killed.elapsed() > KILL_EVERY {
            let one = random.below(WORKERS);
            crew.kill(working[one]);
            working[one] = tokio::task::block_in_place(|| crew.start(&words));
            killed = Instant::now();
        }
        tokio::time::sleep(Duration::from_millis(3)).await;
    }
    let took = began.elapsed();
    let tally = witness.all_ended(n).await;
    let crowd: i64 = client.row("select max(n) from trial_crowd").await[0].parse().expect("a count");
    #[expect(clippy::cast_precision_loss, reason = "a few thousand looks")]
    let used = sum as f64 / f64::from(looks.max(1));
    Seen { most: most.max(crowd), used, reaps: tally.reaps, took }
}

fn limited(n: u64) -> New {
    New::kind("limited", n.to_string())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cluster_limit_holds_while_workers_are_killed() {
    let n = size(2_000, 50_000);
    let seen = run(n, size(1, 5), true).await;
    assert!(size(true, seen.reaps > 0), "some died with runs of theirs");
    shown(
        "G9 limits",
        format!("{n} runs under a cluster limit of {LIMIT}, workers killed, {} runs reaped", seen.reaps),
        format!("at most {} at once", seen.most),
        LIMIT.to_string(),
        seen.most == LIMIT,
    );
}

/// Between the end of a run and the next grab lie a few milliseconds, so that short runs cannot use it all.
#[tokio::test(flavor = "multi_thread")]
async fn a_cluster_limit_is_well_used() {
    for (work_ms, n) in size(vec![(100, 100)], vec![(100, 2_000), (20, 2_000)]) {
        let seen = run(n, work_ms, false).await;
        #[expect(clippy::cast_precision_loss, reason = "a few thousand runs")]
        let handlers = (n * work_ms) as f64 / 1000.0 / seen.took.as_secs_f64();
        // How much is used is a matter of the machine: nothing else must run on it.
        let least = size(0.0, if work_ms < 100 { 0.0 } else { 4.5 });
        shown(
            "G9 limits",
            format!("{n} runs of {work_ms} ms under a cluster limit of {LIMIT}"),
            format!(
                "at most {} at once, {:.2} running on average, {handlers:.2} in handlers",
                seen.most, seen.used
            ),
            format!("{LIMIT}, >= {least}"),
            seen.most == LIMIT && seen.used >= least,
        );
    }
}
