//! What a grab costs the server while a million tasks wait for their time.

use crate::client::Client;
use crate::cluster::{self, Cluster};
use crate::trial::crew::Crew;
use crate::trial::witness::PATIENCE;
use crate::trial::{adder, database, shown, size};
use rustix::process::Signal;
use std::time::{Duration, Instant};
use steadfast::{Engine, New};

const READY: usize = 5_000;
const CHUNK: usize = 1_000;
/// How much more rows may be read for a task.
const MORE_MAX: f64 = 1.1;
const FAR: Duration = Duration::from_secs(24 * 3600);
const POLL: Duration = Duration::from_millis(10);

#[tokio::test(flavor = "multi_thread")]
async fn rows_read_for_a_task_do_not_grow_with_those_that_wait() {
    // Not the shared one: all rows that the server reads are counted.
    let cluster = Cluster::new();
    let name = &database(&cluster).await;
    let url = cluster::url(&cluster.address(), name);
    let (engine, waiting) = (adder(&url).await, size(20_000, 1_000_000));
    let mut client = Client::open(&cluster.address(), name).await.expect("a connection");
    let alone = rows_a_task(&engine, &url, &mut client).await;
    for _ in 0..waiting / CHUNK {
        add(&engine, |new| new.after(FAR)).await;
    }
    let behind = rows_a_task(&engine, &url, &mut client).await;
    shown(
        "load",
        format!("tasks grabbed behind {waiting} that wait"),
        format!("{behind:.2} rows read for a task, {alone:.2} without them"),
        format!("{MORE_MAX} times as many"),
        behind <= alone * MORE_MAX,
    );
}

/// Lets a new worker run some tasks; says how many rows the server read meanwhile for each.
async fn rows_a_task(engine: &Engine, url: &str, client: &mut Client) -> f64 {
    for _ in 0..READY / CHUNK {
        add(engine, |new| new).await;
    }
    let before = client.counted("Handler_read%").await;
    let mut crew = Crew::new(url.to_owned());
    let worker = crew.start(&["slots=500"]);
    let began = Instant::now();
    while crew.count("RUN ") < READY {
        assert!(began.elapsed() < PATIENCE, "only {} of {READY} ran", crew.count("RUN "));
        tokio::time::sleep(POLL).await;
    }
    // It leaves when all that it runs has ended.
    crew.signal(worker, Signal::TERM);
    tokio::task::block_in_place(|| crew.ended(worker));
    let rows = client.counted("Handler_read%").await - before;
    f64::from(u32::try_from(rows).expect("some rows")) / f64::from(u32::try_from(READY).expect("a few"))
}

async fn add(engine: &Engine, when: fn(New) -> New) {
    let news = (0..CHUNK).map(|_| when(New::kind("quick", "")));
    engine.add_many(news).await.expect("they are added");
}
