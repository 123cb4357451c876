//! Trial 1: hints may be repeated at will.

use crate::cluster::{self, Cluster};
use crate::trial::witness::Witness;
use crate::trial::{crowd, database, shown, size};
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use steadfast_postgres::tokio_postgres::{AsyncMessage, NoTls, connect};
use steadfast_testkit::Random;

/// Most times that a hint is said in all.
const SAID_MAX: usize = 10;
/// Whoever repeats signs with a name of its own, so that the one who spoke first hears it too.
const ECHO: &str = "echo ";

#[tokio::test(flavor = "multi_thread")]
async fn four_workers_that_hear_every_hint_up_to_ten_times_run_each_task_once() {
    let cluster = Cluster::shared();
    let name = &database(&cluster).await;
    let url = cluster::url(&cluster.address(), name);
    let witness = Witness::new(cluster.address(), name).await;
    let heard = echo(&url).await;
    let n = size(5_000, 100_000);
    let (tally, took) = crowd::run(&url, &witness, n).await;
    let [first, all] = [&heard[0], &heard[1]].map(|count| count.load(Ordering::SeqCst));
    // How often depends on how fast whoever repeats them is.
    assert!(all > first, "hints were repeated");
    shown(
        "G2 one valid grant",
        format!("{n} tasks, 4 workers, {first} hints said {all} times to all"),
        format!("lost 0, doubled 0, grabs {}, in {took:.0?}", tally.grabs),
        "lost 0, doubled 0",
        true,
    );
}

/// Repeats everything that is said on the channel; counts what was said first, and everything.
async fn echo(url: &str) -> Arc<[AtomicU64; 2]> {
    let (ears, mut connection) = connect(url, NoTls).await.expect("a connection");
    let (mouth, speaking) = connect(url, NoTls).await.expect("a connection");
    tokio::spawn(speaking);
    let heard = Arc::new([AtomicU64::new(0), AtomicU64::new(0)]);
    let counts = heard.clone();
    let (said, mut words) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
            if let AsyncMessage::Notification(note) = message {
                let _ = said.send((note.channel().to_owned(), note.payload().to_owned()));
            }
        }
    });
    ears.batch_execute("listen \"steadfast.hints\"").await.expect("it listens");
    tokio::spawn(async move {
        // Whoever listens goes on as long as this is there.
        let _ears = ears;
        let mut random = Random::new(1);
        while let Some((channel, word)) = words.recv().await {
            counts[1].fetch_add(1, Ordering::SeqCst);
            if word.starts_with(ECHO) {
                continue;
            }
            counts[0].fetch_add(1, Ordering::SeqCst);
            let word = word.split_once(' ').map_or(String::new(), |(_, rest)| format!("{ECHO}{rest}"));
            for _ in 0..random.below(SAID_MAX) {
                // Each by itself: within one transaction the server would say it once.
                if mouth.execute("select pg_notify($1, $2)", &[&channel, &word]).await.is_err() {
                    return;
                }
            }
        }
    });
    heard
}
