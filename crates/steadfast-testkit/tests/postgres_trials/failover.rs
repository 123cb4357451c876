//! Trial 5: the primary dies, and a replica that lacks its last commits takes over.
//!
//! What the replica lacks is lost, and nothing else: that is the price of replicating asynchronously. On the new primary no
//! run is accepted but that of a valid grant. Tasks whose end was lost run again; outside systems tell by the token.

use crate::cluster::Cluster;
use crate::crew::{Crew, Effect};
use crate::feed::{self, Feed};
use crate::wire::Wire;
use crate::witness::Witness;
use crate::{adder, size, url};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

const WORKERS: usize = 4;
/// The new primary has leases that are older by the lag and by one renew: what is left must do to be heard of again.
const WORDS: [&str; 3] = ["lease_ms=4000", "slots=16", "work_ms=20"];
/// How much the replica lags behind.
const LAG: Duration = Duration::from_millis(1500);
const RECOVERY: Duration = Duration::from_secs(5);

/// What one failover brought.
#[derive(Debug, Default)]
struct Seen {
    tasks: u64,
    /// Acknowledged adds that the replica lacked.
    lost_adds: usize,
    /// Tasks whose end the replica lacked, which ran again.
    again: usize,
    /// Tokens under which a handler ran twice.
    tokens_twice: usize,
    reaps: i64,
    recovery: Duration,
}

async fn fail_over() -> Seen {
    let primary = Cluster::new();
    let wire = Wire::new(primary.address());
    let old = Witness::new(url(&primary.address(), "postgres")).await;
    let replica = primary.replica();
    let new = Witness::of_copy(url(&replica.address(), "postgres"));
    let near = url(&wire.address(), "postgres");
    let mut crew = Crew::new(near.clone());
    crew.start_all(WORKERS, &WORDS);
    let feed = Feed::start(&adder(&near).await, feed::mixed);
    old.wait("some work", "select count(*) > 500 from trial.event where what = 'end'").await;
    cut_off(&new).await;
    tokio::time::sleep(LAG).await;
    primary.kill();
    replica.promote();
    // What it has is what survives; nobody else talks to it yet.
    let (kept, since) = (numbers(&new, "what = 'add'").await, new.now().await);
    wire.lead_to(replica.address());
    let working = format!(
        "select count(distinct worker) = {WORKERS} from trial.event where what = 'end' and at > {since}"
    );
    new.wait("work on the new primary", &working).await;
    let recovery = Duration::from_secs_f64(new.now().await - since);
    let n = feed.stop().await;
    new.wait("the end of all tasks", "select not exists (select 1 from steadfast.task)").await;
    let tally = new.tally().await;
    assert_eq!((tally.ended, tally.doubled), (tally.added, 0), "{tally:?}");
    assert_eq!((tally.ended_wrong, tally.granted_twice), (0, 0), "{tally:?}");
    // The old primary is asked what it had, alone: nobody is led to it any more.
    primary.start();
    let had = numbers(&old, "what = 'add'").await;
    let ended_there = numbers(&old, "what = 'end'").await;
    let ended = numbers(&new, "what = 'end'").await;
    let ended_late = numbers(&new, &format!("what = 'end' and at > {since}")).await;
    let lost: BTreeSet<i64> =
        (0..i64::try_from(n).unwrap()).filter(|number| !ended.contains(number)).collect();
    assert!(
        lost.iter().all(|number| had.contains(number) && !kept.contains(number)),
        "more was lost than the replica lacked"
    );
    let mut effects: BTreeMap<Effect, usize> = BTreeMap::new();
    crew.effects().into_iter().for_each(|effect| *effects.entry(effect).or_default() += 1);
    Seen {
        tasks: n,
        lost_adds: lost.len(),
        again: ended_there.intersection(&ended_late).count(),
        tokens_twice: effects.values().filter(|times| **times > 1).count(),
        reaps: tally.reaps,
        recovery,
    }
}

/// From now on the replica gets nothing: all that is committed meanwhile is its lag.
async fn cut_off(replica: &Witness) {
    let client = replica.client().await;
    client.batch_execute("alter system set primary_conninfo = ''").await.expect("it is set");
    client.batch_execute("select pg_reload_conf()").await.expect("it is heard");
    replica.wait("the end of the stream", "select not exists (select 1 from pg_stat_wal_receiver)").await;
}

/// The numbers of the tasks to which something happened.
async fn numbers(witness: &Witness, happened: &str) -> BTreeSet<i64> {
    let sql = format!(
        "select added.n::bigint from trial.event as added where added.what = 'add' \
         and added.task in (select task from trial.event where {happened})"
    );
    let rows = witness.client().await.query(&sql, &[]).await.expect("numbers");
    rows.iter().map(|row| row.get(0)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failover_to_a_replica_that_lags_commits_nothing_twice() {
    for _ in 0..size(1, 5) {
        let seen = fail_over().await;
        println!(
            "failover, lag {LAG:?}: {} tasks, {} adds lost with the lag and none more, {} ends lost and run again, \
             tokens seen twice {}, reaps {}, all working again after {:.1?}",
            seen.tasks, seen.lost_adds, seen.again, seen.tokens_twice, seen.reaps, seen.recovery
        );
        assert!(seen.recovery <= RECOVERY, "{seen:?}");
        assert_eq!(seen.reaps, 0, "every worker lived: {seen:?}");
        assert!(seen.lost_adds > 0 && seen.again > 0, "the replica lagged: {seen:?}");
    }
}
