//! What workers cost that have nothing to do, and how soon they notice that they have.

use crate::client::Client;
use crate::cluster::{self, Cluster};
use crate::trial::crew::Crew;
use crate::trial::starts::{now, starts};
use crate::trial::{adder, database, shown, size};
use std::time::Duration;
use steadfast::{Engine, New};

const WORKERS: usize = 4;
const STATEMENTS_MAX: f64 = 20.0;
const START_MAX: Duration = Duration::from_millis(250);
/// Long enough for workers to be as idle as they get.
const SETTLED: Duration = Duration::from_secs(3);
const POLL: Duration = Duration::from_millis(1);

#[tokio::test(flavor = "multi_thread")]
async fn idle_workers_ask_little_and_start_the_next_task_at_once() {
    // Not the shared one: all statements of the server are counted.
    let cluster = Cluster::new();
    let name = &database(&cluster).await;
    let url = cluster::url(&cluster.address(), name);
    let mut crew = Crew::new(url.clone());
    crew.start_all(WORKERS, &[]);
    let statements = statements_a_second(&cluster, name).await;
    let engine = adder(&url).await;
    let mut starts = Vec::new();
    for _ in 0..size(5, 20) {
        starts.push(first_start(&engine, &crew).await);
    }
    starts.sort();
    // A sample shares the machine with the other trials, so that the middle of it is judged; of a full trial, the worst.
    let start = starts[size(starts.len() / 2, starts.len() - 1)];
    shown(
        "G7 lost hints",
        format!("{WORKERS} idle workers, then one task from another process"),
        format!("{statements:.1} statements/s in all, the task starts within {start:.1?}"),
        format!("{STATEMENTS_MAX} statements/s, {START_MAX:?}"),
        statements <= STATEMENTS_MAX && start <= START_MAX,
    );
}

async fn statements_a_second(cluster: &Cluster, name: &str) -> f64 {
    // The time is the trial's subject.
    tokio::time::sleep(SETTLED).await;
    let seconds: u32 = size(5, 30);
    let mut client = Client::open(&cluster.address(), name).await.expect("a connection");
    let before = client.counted("Questions").await;
    tokio::time::sleep(Duration::from_secs(seconds.into())).await;
    // One of them is the question.
    let asked = client.counted("Questions").await - before - 1;
    f64::from(u32::try_from(asked).expect("a few statements")) / f64::from(seconds)
}

/// From the call of add here to the start of the handler in another process.
async fn first_start(engine: &Engine, crew: &Crew) -> Duration {
    tokio::time::sleep(SETTLED).await;
    let (runs, called) = (crew.count("RUN "), now());
    engine.add(New::kind("quick", "")).await.expect("it is added");
    while crew.count("RUN ") == runs {
        tokio::time::sleep(POLL).await;
    }
    starts(crew).values().max().expect("a start").saturating_sub(called)
}
