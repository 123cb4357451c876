//! Trial 1: hints may be repeated at will.

use crate::cluster::Cluster;
use crate::crew::Crew;
use crate::witness::Witness;
use crate::{adder, database, feed, size, url};
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use steadfast_postgres::tokio_postgres::{AsyncMessage, NoTls, connect};
use steadfast_testkit::Random;

/// Most times that a hint is said in all.
const SAID_MAX: usize = 10;
/// Whoever repeats signs with a name of its own, so that the one who spoke first hears it too.
const ECHO: &str = "echo ";
const CALLERS: u64 = 4;
const BATCH: usize = 20;

#[tokio::test(flavor = "multi_thread")]
async fn four_workers_that_hear_every_hint_up_to_ten_times_run_each_task_once() {
    let cluster = Cluster::shared();
    let url = url(&cluster.address(), &database(&cluster).await);
    let witness = Witness::new(url.clone()).await;
    let mut crew = Crew::new(url.clone());
    crew.start_all(4, &["slots=64"]);
    let heard = echo(&url).await;
    let n: u64 = size(5_000, 100_000);
    let (engine, began) = (adder(&url).await, Instant::now());
    let callers: Vec<_> = (0..CALLERS)
        .map(|caller| {
            let engine = engine.clone();
            tokio::spawn(async move {
                for start in (caller * n / CALLERS..(caller + 1) * n / CALLERS).step_by(BATCH) {
                    let end = (start + BATCH as u64).min((caller + 1) * n / CALLERS);
                    feed::add(&engine, start..end, feed::mixed).await;
                }
            })
        })
        .collect();
    for caller in callers {
        caller.await.unwrap();
    }
    let tally = witness.all_ended(n).await;
    let [first, all] = [&heard[0], &heard[1]].map(|count| count.load(Ordering::SeqCst));
    println!(
        "{n} tasks, 4 workers, {first} hints said {all} times: lost 0, doubled 0, grabs {}, in {:.0?}",
        tally.grabs,
        began.elapsed()
    );
    assert_eq!(u64::try_from(tally.grabs).unwrap(), n, "each task was granted once: {tally:?}");
    assert_eq!(tally.attempt_max, 1);
    // How often depends on how fast whoever repeats them is.
    assert!(all > first, "hints were repeated");
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
