//! Trial 5: the primary dies, and a replica that lacks its last commits takes over.
//!
//! What the replica lacks is lost, and nothing else: that is the price of replicating asynchronously. On the new primary no
//! run is accepted but that of a valid grant. Tasks whose end was lost run again; outside systems tell by the token.

use crate::client::HOME;
use crate::cluster::{self, Cluster};
use crate::trial::crew::Crew;
use crate::trial::feed::{self, Feed};
use crate::trial::wire::Wire;
use crate::trial::witness::Witness;
use crate::trial::{adder, shown, size};
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

/// A start of a handler: to the world outside this is the effect.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Effect {
    task: String,
    grant: i64,
    worker: String,
}

async fn fail_over() -> Seen {
    let primary = Cluster::new();
    let wire = Wire::new(primary.address());
    let old = Witness::new(primary.address(), HOME).await;
    let replica = primary.replica();
    let new = Witness::of_copy(replica.address(), HOME);
    let near = cluster::url(&wire.address(), HOME);
    let mut crew = Crew::new(near.clone());
    crew.start_all(WORKERS, &WORDS);
    let feed = Feed::start(&adder(&near).await, feed::mixed);
    old.wait("some work", "(select count(*) from trial_event where what = 'end') > 500").await;
    cut_off(&new).await;
    tokio::time::sleep(LAG).await;
    primary.kill();
    replica.promote();
    // What it has is what survives; nobody else talks to it yet.
    let (kept, since) = (numbers(&new, "what = 'add'").await, new.now().await);
    wire.lead_to(replica.address());
    let working = format!(
        "(select count(distinct worker) from trial_event where what = 'end' and at > {since}) = {WORKERS}"
    );
    new.wait("work on the new primary", &working).await;
    let recovery = Duration::from_secs_f64(new.now().await - since);
    let n = feed.stop().await;
    new.wait("the end of all tasks", "not exists (select 1 from trial_task)").await;
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
    let mut times: BTreeMap<Effect, usize> = BTreeMap::new();
    for effect in effects(&crew) {
        *times.entry(effect).or_default() += 1;
    }
    Seen {
        tasks: n,
        lost_adds: lost.len(),
        again: ended_there.intersection(&ended_late).count(),
        tokens_twice: times.values().filter(|n| **n > 1).count(),
        reaps: tally.reaps,
        recovery,
    }
}

/// From now on the replica gets nothing: all that is committed meanwhile is its lag.
async fn cut_off(replica: &Witness) {
    let mut client = replica.client().await;
    client.run("alter system set primary_conninfo = ''").await;
    client.run("select pg_reload_conf()").await;
    replica.wait("the end of the stream", "not exists (select 1 from pg_stat_wal_receiver)").await;
}

/// The numbers of the tasks to which something happened.
async fn numbers(witness: &Witness, happened: &str) -> BTreeSet<i64> {
    let sql = format!(
        "select added.n from trial_event as added where added.what = 'add' \
         and added.task in (select task from trial_event where {happened})"
    );
    let numbers = witness.client().await.column(&sql).await;
    numbers.iter().map(|number| number.parse().expect("a number")).collect()
}

fn effects(crew: &Crew) -> Vec<Effect> {
    let effect = |line: &str| match line.split(' ').collect::<Vec<_>>().as_slice() {
        ["RUN", _, _, task, grant, worker] => Some(Effect {
            task: (*task).to_owned(),
            grant: grant.parse().ok()?,
            worker: (*worker).to_owned(),
        }),
        _ => None,
    };
    crew.journal().lines().filter_map(effect).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failover_to_a_replica_that_lags_commits_nothing_twice() {
    for _ in 0..size(1, 5) {
        let seen = fail_over().await;
        assert!(seen.lost_adds > 0 && seen.again > 0, "the replica lagged: {seen:?}");
        shown(
            "survives a failover",
            format!("promotion of a replica that lags {LAG:?}, {} tasks", seen.tasks),
            format!(
                "{} adds lost with the lag and none more, {} ends lost and run again, tokens seen twice {}, live \
                 workers reaped {}, all working again after {:.1?}",
                seen.lost_adds, seen.again, seen.tokens_twice, seen.reaps, seen.recovery
            ),
            format!("no end but of the last grant, reaped 0, {RECOVERY:?}"),
            seen.reaps == 0 && seen.recovery <= RECOVERY,
        );
    }
}
