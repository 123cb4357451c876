//! The disk of the store is full, and room is made.

use super::small_disk::SmallDisk;
use crate::cluster::{self, Cluster};
use crate::trial::witness::PATIENCE;
use crate::trial::{adder, database, shown, size};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use steadfast::{
    Added, Engine, Error, Filter, Handler, New, Policy, Result, Retention, Run, StoreError, TaskId,
};
use steadfast_testkit::Random;
use tokio::task::JoinHandle;

const DISK_MB: u64 = 320;
const LEFT_MB: u64 = 16;
const PAYLOAD: usize = 50_000;
/// A caller whose add hangs for so long waits for a server that is gone.
const WAITS: Duration = Duration::from_secs(5);
const RECOVERY: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(50);
const KIND: &str = "keep";
const ADDS_MAX: usize = 10_000;

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_is_named_loses_nothing_and_passes() {
    let Some(disk) = SmallDisk::mount(DISK_MB) else {
        assert!(size(true, false), "a small disk must be mounted; run the trials as root");
        println!("only for root, who can mount a small disk");
        return;
    };
    let cluster = Cluster::on(disk.folder());
    let url = cluster::url(&cluster.address(), &database(&cluster).await);
    let (mut random, rounds) = (Random::new(14), size(1, 3));
    let mut seen = Seen::default();
    for _ in 0..rounds {
        // Its own each time: a server that crashed is none that anybody must outlive, its tasks are.
        fill_and_clear(&disk, &cluster, &adder(&url).await, &mut random, &mut seen).await;
        seen.ran += run_all(&url).await;
    }
    let Seen { acknowledged, ran, slowest, told, crashes } = seen;
    shown(
        "survives a full disk",
        format!("{rounds} times a disk of {DISK_MB} MB filled under adds of {PAYLOAD} bytes, then room made"),
        format!(
            "acknowledged {acknowledged}, each whole afterwards and run once, {ran}; adds again after {slowest:.1?}, \
             servers that had to be started again {crashes}; callers were told: {told}"
        ),
        format!("all, {RECOVERY:?}, by name"),
        acknowledged == ran && slowest <= RECOVERY && told.contains("disk is full; make room"),
    );
}

#[derive(Default)]
struct Seen {
    acknowledged: usize,
    ran: usize,
    slowest: Duration,
    told: String,
    crashes: usize,
}

/// How adding came to an end.
enum Full {
    /// The caller was told.
    Told(String),
    /// The server is gone, and with it the answer: the caller waits for it.
    Hangs(JoinHandle<Result<Added>>, Vec<u8>),
}

/// Adds until the disk is full, makes room, and sees that everything is there and that it goes on.
async fn fill_and_clear(
    disk: &SmallDisk,
    cluster: &Cluster,
    engine: &Engine,
    random: &mut Random,
    seen: &mut Seen,
) {
    disk.fill(LEFT_MB);
    let mut added = BTreeMap::new();
    let full = fill(engine, random, &mut added).await;
    disk.clear();
    let began = Instant::now();
    seen.crashes += usize::from(cluster.revive());
    match full {
        Full::Told(told) => seen.told = told,
        Full::Hangs(call, payload) => {
            // Whatever it hears, it is true: nothing was added, or this was.
            if let Ok(one) = call.await.expect("the caller lives") {
                added.insert(one.id, payload);
            }
        }
    }
    let (id, payload) = add_again(engine, random).await;
    seen.slowest = seen.slowest.max(began.elapsed());
    added.insert(id, payload);
    for (id, payload) in &added {
        let task = engine.get(*id).await.expect("an answer").expect("it was acknowledged");
        assert!(*task.payload.expect("it has one").bytes == **payload, "a payload came back changed");
    }
    seen.acknowledged += added.len();
}

async fn fill(engine: &Engine, random: &mut Random, added: &mut BTreeMap<TaskId, Vec<u8>>) -> Full {
    while added.len() < ADDS_MAX {
        let payload = bytes(random);
        let (engine, new) = (engine.clone(), New::kind(KIND, payload.clone()));
        let mut call = tokio::spawn(async move { engine.add(new).await });
        match tokio::time::timeout(WAITS, &mut call).await.map(|answer| answer.expect("the caller lives")) {
            Ok(Ok(one)) => drop(added.insert(one.id, payload)),
            Ok(Err(Error::Store(StoreError::Down(told)))) => return Full::Told(told),
            Ok(Err(error)) => panic!("an add ended in {error:?}"),
            Err(_) => return Full::Hangs(call, payload),
        }
    }
    panic!("the disk never fills");
}

async fn add_again(engine: &Engine, random: &mut Random) -> (TaskId, Vec<u8>) {
    let (began, payload) = (Instant::now(), bytes(random));
    loop {
        match engine.add(New::kind(KIND, payload.clone())).await {
            Ok(one) => return (one.id, payload),
            Err(error) => assert!(began.elapsed() < RECOVERY * 3, "it does not go on: {error}"),
        }
        tokio::time::sleep(POLL).await;
    }
}

/// Runs all that was added; says how many runs that took.
async fn run_all(url: &str) -> usize {
    let (runs, began) = (Arc::new(AtomicUsize::new(0)), Instant::now());
    let counted = runs.clone();
    let handler = Handler::of(KIND, move |_: Run| {
        counted.fetch_add(1, Ordering::SeqCst);
        async {}
    });
    let mut policy = Policy::default();
    policy.retention = Retention::Delete;
    let builder = steadfast::connect(url).await.expect("the store opens").register(handler.policy(policy));
    let engine = builder.start().await.expect("the engine starts");
    while !engine.count(Filter::default()).await.expect("an answer").is_empty() {
        assert!(began.elapsed() < PATIENCE, "not all tasks ended");
        tokio::time::sleep(POLL).await;
    }
    runs.load(Ordering::SeqCst)
}

/// Bytes that no store can make smaller.
fn bytes(random: &mut Random) -> Vec<u8> {
    (0..PAYLOAD).map(|_| u8::try_from(random.below(256)).expect("a byte")).collect()
}
