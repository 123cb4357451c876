//! A stranger who holds the file's one write lock. There is no pool here to be used up and no wire to be slow: this is what
//! both come to.

use crate::cluster::{self, Cluster};
use crate::trial::crew::Crew;
use crate::trial::feed::{self, Feed};
use crate::trial::witness::Witness;
use crate::trial::{adder, database, shown, size};
use rusqlite::Connection;
use std::time::Duration;

const LEASE: &str = "lease_ms=3000";
const HOLDS: Duration = Duration::from_millis(900);
const PAUSE: Duration = Duration::from_millis(300);
const BUSY_MAX: Duration = Duration::from_secs(10);

#[tokio::test(flavor = "multi_thread")]
async fn a_stranger_who_holds_the_write_lock_holds_up_all_and_loses_nothing() {
    let cluster = Cluster::new();
    let name = &database(&cluster).await;
    let url = cluster::url(&cluster.address(), name);
    let witness = Witness::new(cluster.address(), name).await;
    let mut crew = Crew::new(url.clone());
    crew.start_all(2, &[LEASE, "slots=16"]);
    let feed = Feed::start(&adder(&url).await, feed::mixed);
    let (file, holds) = (cluster::file(&cluster.address(), name), size(3, 20));
    tokio::task::block_in_place(|| hold(&file, holds));
    let n = feed.stop().await;
    let tally = witness.all_ended(n).await;
    shown(
        "a pool that is used up",
        format!(
            "no pool and no network here: a stranger holds the write lock {holds} times for {HOLDS:?}, {n} tasks"
        ),
        format!("lost 0, doubled 0, reaped {}, adds that failed for good 0", tally.reaps),
        "lost 0, doubled 0, reaped 0, 0",
        tally.reaps == 0,
    );
}

/// The time is the trial's subject.
fn hold(file: &str, times: usize) {
    let stranger = Connection::open(file).expect("the file opens");
    stranger.busy_timeout(BUSY_MAX).expect("it waits");
    for _ in 0..times {
        stranger.execute_batch("begin immediate").expect("it has the lock");
        std::thread::sleep(HOLDS);
        stranger.execute_batch("rollback").expect("it lets go");
        std::thread::sleep(PAUSE);
    }
}
