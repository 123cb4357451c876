//! Trial 2, all at once: while tasks come in, workers that add are killed, the server crashes and replies get lost.

use super::crew::Crew;
use super::feed::{self, Feed};
use super::wire::Wire;
use super::witness::{PATIENCE, Witness};
use super::{adder, database, shown, size};
use crate::cluster::{self, Cluster};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use steadfast::New;
use steadfast_testkit::Random;

/// Workers that are killed in turn; each adds tasks of its own when it starts, some of them with effects.
const WORKERS: usize = 3;
const WORDS: [&str; 4] = ["lease_ms=2000", "slots=64", "work_ms=1", "adds=30"];
/// How long a worker lives: long enough to start, and to be in the middle of something.
const LIFE: Duration = Duration::from_millis(150);
/// Of so many kills one comes with a crash of the server.
const CRASH_EVERY: usize = 10;
/// Replies that get lost with each kill.
const CUTS_EACH: u64 = 6;
const ADDS_MIN: u64 = 100_000;
/// Every other one loses the request instead.
const CUTS_MIN: u64 = 1_000;

/// What was done.
#[derive(Default)]
struct Done {
    kills: usize,
    crashes: usize,
}

/// Breaks things until it is enough.
async fn storm(cluster: &Cluster, wire: &Wire, crew: &mut Crew, kills: usize) -> Done {
    let (mut done, mut random) = (Done::default(), Random::new(11));
    let mut working: Vec<usize> = crew.start_all(WORKERS, &WORDS);
    while done.kills < kills {
        for _ in 0..CUTS_EACH {
            wire.cut();
        }
        // The time is the trial's subject: a worker is killed whatever it is doing by then.
        tokio::time::sleep(LIFE).await;
        let one = random.below(WORKERS);
        tokio::task::block_in_place(|| crew.kill(working[one]));
        done.kills += 1;
        if done.kills % CRASH_EVERY == 3 {
            tokio::task::block_in_place(|| cluster.crash(done.crashes));
            done.crashes += 1;
            cluster.start();
        }
        working[one] = crew.launch(&WORDS);
    }
    done
}

/// Goes on with the deed until there are enough, however long it takes, as long as they become more.
async fn wait(what: &str, count: impl Fn() -> u64, least: u64, deed: impl Fn()) {
    let (mut since, mut seen) = (Instant::now(), count());
    while seen < least {
        assert!(since.elapsed() < PATIENCE, "too few {what}: {seen}");
        deed();
        tokio::time::sleep(LIFE / 2).await;
        if count() > seen {
            (since, seen) = (Instant::now(), count());
        }
    }
}

/// Some of everything; a tenth leaves effects.
fn new(n: u64) -> New {
    if n % 10 == 3 { New::kind("pays", n.to_string()) } else { feed::mixed(n) }
}

/// What came of it.
struct Seen {
    /// Acknowledged by a worker or to the feed, and not ended.
    lost: usize,
    twice: i64,
    invented: i64,
    effects: u64,
    /// Tasks with effects that are done, and those of which they are not there exactly once.
    paid: u64,
    odd: i64,
}

impl Seen {
    async fn new(witness: &Witness, told: &[String], fed: u64) -> Self {
        let tally = witness.tally().await;
        let mut client = witness.client().await;
        let ended = client.column("select task from trial_event where what = 'end'").await;
        let ended: BTreeSet<String> = ended.into_iter().collect();
        let untold = told.iter().filter(|task| !ended.contains(*task)).count();
        let mut count = async |sql: &str| client.row(sql).await[0].parse::<u64>().expect("a count");
        let numbers = count("select count(distinct n) from trial_event where what = 'add' and n <> ''").await;
        Self {
            lost: untold + usize::try_from(fed - numbers).expect("a few"),
            twice: tally.doubled + tally.ended_wrong,
            invented: tally.added - tally.ended,
            effects: count("select count(*) from trial_effect").await,
            paid: count("select count(*) from trial_event where what = 'end' and kind = 'pays'").await,
            odd: tally.effects_wrong,
        }
    }
}

// M-05.
#[tokio::test(flavor = "multi_thread")]
async fn kills_crashes_and_lost_replies_together_lose_and_double_nothing() {
    let cluster = Cluster::new();
    let name = &database(&cluster).await;
    let (wire, witness) = (Wire::new(cluster.address()), Witness::new(cluster.address(), name).await);
    let near = cluster::url(&wire.address(), name);
    let mut crew = Crew::new(near.clone());
    let feed = Feed::start(&adder(&near).await, new);
    let done = storm(&cluster, &wire, &mut crew, size(4, 200)).await;
    let cuts = || wire.cuts().values().sum::<u64>();
    // One at a time from here on: whoever hears nothing but cuts gets nothing done.
    wire.calm();
    wait("cuts", cuts, size(0, CUTS_MIN), || wire.cut()).await;
    wire.calm();
    wait("adds", || feed.so_far(), size(0, ADDS_MIN), || ()).await;
    let n = feed.stop().await;
    tokio::task::block_in_place(|| crew.start(&WORDS));
    witness.wait("the end of all tasks", "not exists (select 1 from trial_task)").await;
    let told = crew.acknowledged();
    let seen = Seen::new(&witness, &told, n).await;
    let what = format!(
        "{} adds under {} kills (-9), {} crashes of the server, {} commits lost and {} replies to them",
        n + told.len() as u64,
        done.kills,
        done.crashes,
        cuts() / 2,
        cuts().div_ceil(2)
    );
    shown(
        "G1 durable add",
        what.clone(),
        format!("acknowledged and lost {}, twice {}, invented {}", seen.lost, seen.twice, seen.invented),
        "lost 0, twice 0, invented 0",
        (seen.lost, seen.twice, seen.invented) == (0, 0, 0),
    );
    shown(
        "G4 effects",
        what,
        format!("{} effect rows for {} done tasks, odd ones {}", seen.effects, seen.paid, seen.odd),
        "as many, one each",
        seen.effects == seen.paid && seen.odd == 0 && seen.paid > 0,
    );
}
