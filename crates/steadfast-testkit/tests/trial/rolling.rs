//! Trial 4: workers leave and come, as in a deploy, while tasks come in.

use super::crew::Crew;
use super::feed::Feed;
use super::witness::{PATIENCE, Witness};
use super::{adder, database, shown, size};
use crate::cluster::{self, Cluster};
use rustix::process::Signal;
use std::time::{Duration, Instant};
use steadfast::New;

const WORKERS: usize = 4;
/// The grace time, and a second. A sample shares the machine with other tests, and takes its time.
const LEAVE_MAX: Duration = Duration::from_millis(1300);
/// The grace time is shorter than some runs, which are given back.
const WORDS: [&str; 4] = ["lease_ms=3000", "slots=64", "grace_ms=300", "work_ms=5"];

#[tokio::test(flavor = "multi_thread")]
async fn a_rolling_restart_reaps_nothing_and_counts_no_attempt() {
    let cluster = Cluster::shared();
    let name = &database(&cluster).await;
    let url = cluster::url(&cluster.address(), name);
    let witness = Witness::new(cluster.address(), name).await;
    let mut crew = Crew::new(url.clone());
    let mut working: Vec<usize> = crew.start_all(WORKERS, &WORDS);
    let feed = Feed::start(&adder(&url).await, new);
    let rounds = size(1, 20);
    let mut slowest = Duration::ZERO;
    for _ in 0..rounds {
        for worker in &mut working {
            begins_a_long_run(&witness, crew.name(*worker)).await;
            let began = Instant::now();
            crew.signal(*worker, Signal::TERM);
            let status = tokio::task::block_in_place(|| crew.ended(*worker));
            assert!(status.success(), "the worker left in disorder: {status}");
            slowest = slowest.max(began.elapsed());
            *worker = tokio::task::block_in_place(|| crew.start(&WORDS));
        }
    }
    let n = feed.stop().await;
    let tally = witness.all_ended(n).await;
    assert!(tally.backs > 0, "some runs were given back: {tally:?}");
    shown(
        "G11 stop",
        format!("{rounds} rolling restarts of {WORKERS} workers under load, {n} tasks"),
        format!(
            "lost 0, doubled 0, reaps {}, {} runs given back, attempts at most {}, slowest leave {slowest:.1?}",
            tally.reaps, tally.backs, tally.attempt_max
        ),
        format!("lost 0, doubled 0, reaps 0, attempts 1, leave within grace + 1 s ({LEAVE_MAX:?})"),
        (tally.reaps, tally.attempt_max) == (0, 1) && slowest <= size(PATIENCE, LEAVE_MAX),
    );
}

/// Waits until a worker has begun a run that it cannot end within its grace time.
async fn begins_a_long_run(witness: &Witness, worker: &str) {
    let begun = format!(
        "exists (select 1 from trial_event join trial_worker on trial_worker.id = trial_event.worker \
         where what = 'grab' and kind = 'long' and trial_worker.name = '{worker}')"
    );
    witness.wait("a long run", &begun).await;
}

fn new(n: u64) -> New {
    New::kind(if n.is_multiple_of(20) { "long" } else { "plain" }, n.to_string())
}
