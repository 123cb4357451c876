//! A hundred thousand tasks: waiting before a worker, and running in one.

use crate::cluster::{self, Cluster};
use crate::trial::crew::Crew;
use crate::trial::starts::{now, starts};
use crate::trial::witness::PATIENCE;
use crate::trial::{adder, database, shown, size};
use std::time::{Duration, Instant};
use steadfast::{Engine, Filter, New, Status};

const CHUNK: usize = 5_000;
const MEMORY_MB_MAX: u64 = 500;
const POLL: Duration = Duration::from_millis(100);
/// How much longer a grab may take at the 99th of a hundred, and what is no time at all.
const TIMES_MAX: f64 = 2.0;
const NO_TIME: Duration = Duration::from_millis(20);
/// Rounds of a comparison.
const ROUNDS: usize = 5;
const PACE: Duration = Duration::from_millis(10);
/// Urgent ones before the first that counts: longer than a worker at rest waits before it looks for the news of others.
const FIRST: usize = 30;
const FAR: Duration = Duration::from_secs(24 * 3600);
/// What waits in the way of nobody.
const CROWD: &str = "sleeps";

/// The urgent ones are grabbed past all that wait; how long that takes is measured from call to start, in turns with a
/// store in which nothing waits: the machine is not always the same.
#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_thousand_that_wait_cost_little_memory_and_no_time() {
    let (n, rounds) = (size(2_000, 100_000), size(1, ROUNDS));
    let (empty, full) = (Worked::new().await, Worked::new().await);
    // As many as fit run; all others wait behind them, ready and full, and half as many for their time.
    full.scene.add(n, |new| new).await;
    full.scene.add(n / 2, |new| new.after(FAR)).await;
    let (mut without, mut behind) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        without.push(empty.p99().await);
        behind.push(full.p99().await);
    }
    let (without, behind) = (middle(without), middle(behind));
    let memory = full.crew.memory_mb(full.worker);
    let bar = (without.mul_f64(TIMES_MAX)).max(NO_TIME);
    shown(
        "load",
        format!(
            "{n} tasks wait for room and {} for their time; {} urgent ones of another kind to a worker that is awake, \
             in {rounds} rounds",
            n / 2,
            probes()
        ),
        format!("started after p99 {behind:.1?} ({without:.1?} without them), memory {memory} MB"),
        format!("{bar:.1?}, {MEMORY_MB_MAX} MB"),
        // A sample shares the machine with the other trials.
        memory <= MEMORY_MB_MAX && size(true, behind <= bar),
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_thousand_that_run_in_one_worker_end_once_and_lose_no_lease() {
    let (scene, n) = (Scene::new().await, size(2_000, 100_000));
    let mut crew = Crew::new(scene.url.clone());
    let sleep = size("sleep_ms=2000", "sleep_ms=20000");
    let worker = crew.start(&["slots=100000", "sleepers=100000", "lease_ms=5000", sleep]);
    let began = Instant::now();
    scene.add(n, |new| new).await;
    let (mut most, mut memory) = (0, 0);
    loop {
        let (running, left) = scene.running().await;
        (most, memory) = (most.max(running), memory.max(crew.memory_mb(worker)));
        if left == 0 {
            break;
        }
        assert!(began.elapsed() < PATIENCE * 3, "{left} are left");
        tokio::time::sleep(POLL).await;
    }
    let (runs, lost) = (crew.count("RUN "), crew.count("declared dead") + crew.count("renew"));
    shown(
        "load",
        format!("{n} tasks that sleep, in one worker at a lease of 5 s"),
        format!(
            "{most} at once, {runs} runs, leases lost {lost}, memory {memory} MB, in {:.0?}",
            began.elapsed()
        ),
        format!("{n} runs, leases lost 0"),
        runs == n && lost == 0,
    );
}

/// A store and somebody who adds.
struct Scene {
    url: String,
    engine: Engine,
    _cluster: Cluster,
}

impl Scene {
    async fn new() -> Self {
        let cluster = Cluster::new();
        let url = cluster::url(&cluster.address(), &database(&cluster).await);
        let engine = adder(&url).await;
        Self { url, engine, _cluster: cluster }
    }

    async fn add(&self, n: usize, when: fn(New) -> New) {
        for start in (0..n).step_by(CHUNK) {
            let news = (start..n.min(start + CHUNK)).map(|_| when(New::kind(CROWD, "")));
            self.engine.add_many(news).await.expect("they are added");
        }
    }

    /// How many run, and how many there are.
    async fn running(&self) -> (u64, u64) {
        let counts = self.engine.count(Filter::default()).await.expect("an answer");
        let running = counts.iter().filter(|count| count.status == Status::Running);
        (running.map(|count| count.n).sum(), counts.iter().map(|count| count.n).sum())
    }
}

/// A store with a worker that has room for few.
struct Worked {
    scene: Scene,
    crew: Crew,
    worker: usize,
}

impl Worked {
    async fn new() -> Self {
        let scene = Scene::new().await;
        let mut crew = Crew::new(scene.url.clone());
        let worker = crew.start(&["slots=64", "sleepers=32", "sleep_ms=3600000"]);
        Self { scene, crew, worker }
    }

    async fn p99(&self) -> Duration {
        p99(&self.scene.engine, &self.crew).await
    }
}

fn middle(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// How many urgent tasks are added to see how long they take.
fn probes() -> usize {
    size(50, 200)
}

/// How long an urgent task takes from the call of add to the start of its handler, at the 99th of a hundred. How long it
/// takes to rouse a worker from its rest is another trial's.
async fn p99(engine: &Engine, crew: &Crew) -> Duration {
    let mut called = Vec::new();
    for _ in 0..FIRST + probes() {
        let at = now();
        let id = engine.add(New::kind("quick", "").priority(0)).await.expect("it is added").id;
        called.push((id.to_string(), at));
        tokio::time::sleep(PACE).await;
    }
    let began = Instant::now();
    while called.iter().any(|(id, _)| !starts(crew).contains_key(id)) {
        assert!(began.elapsed() < PATIENCE, "not all of the urgent ones ran");
        tokio::time::sleep(POLL).await;
    }
    let starts = starts(crew);
    let mut waits: Vec<Duration> =
        called.iter().skip(FIRST).map(|(id, at)| starts[id].saturating_sub(*at)).collect();
    waits.sort();
    waits[waits.len() * 99 / 100]
}
