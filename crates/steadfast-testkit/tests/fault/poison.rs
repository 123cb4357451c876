//! Tasks that harm whoever runs them: they end in `error`, which says why, and the others hardly notice.

use crate::cluster::{self, Cluster};
use crate::trial::crew::Crew;
use crate::trial::witness::{PATIENCE, Witness};
use crate::trial::{adder, database, shown, size};
use std::time::{Duration, Instant};
use steadfast::{Engine, New, Status, Task, TaskId};

const WORKERS: usize = 3;
/// Of memory each may have some, most of it for the stacks of its threads: a hog is out of it soon.
const WORDS: [&str; 4] = ["lease_ms=1500", "slots=8", "deadline_ms=1500", "memory_mb=1500"];
/// Time between two tasks that do no harm.
const PACE: Duration = Duration::from_millis(5);
/// How soon those end that went down with their worker. It may happen twice to a neighbour of the poison, after which it
/// runs apart: two recoveries, each a lease of 1.5 s and its bar of 2 s.
const BACK_MAX_S: f64 = 2.0 * (1.5 + 2.0);
/// How much longer they may take at the 99th of a hundred, and what is no time at all on a busy machine.
const TIMES_MAX: f64 = 2.0;
const NO_TIME_S: f64 = 0.1;

/// Poison and the words of its error.
const CRASHES: [(&str, &str); 3] = [
    ("aborts", "worker lost 3 times"),
    ("overflows", "worker lost 3 times"),
    ("hogs", "worker lost 3 times"),
];
const HANGS: [(&str, &str); 3] = [("panics", "poison"), ("spins", "deadline"), ("blocks", "deadline")];

#[tokio::test(flavor = "multi_thread")]
async fn tasks_that_kill_their_worker_end_in_error_while_others_go_on() {
    let mut scene = Scene::new().await;
    // Each takes one lease after the other to end.
    scene.play(&CRASHES[..size(1, CRASHES.len())]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tasks_that_panic_spin_and_block_end_in_error_while_others_go_on() {
    let mut scene = Scene::new().await;
    scene.play(&HANGS).await;
}

struct Scene {
    engine: Engine,
    witness: Witness,
    crew: Crew,
    working: Vec<usize>,
    deaths: usize,
    added: usize,
    _cluster: Cluster,
}

impl Scene {
    async fn new() -> Self {
        let cluster = Cluster::new();
        let name = &database(&cluster).await;
        let url = cluster::url(&cluster.address(), name);
        let witness = Witness::new(cluster.address(), name).await;
        let mut crew = Crew::new(url.clone());
        let working = crew.start_all(WORKERS, &WORDS);
        let engine = adder(&url).await;
        Self { engine, witness, crew, working, deaths: 0, added: 0, _cluster: cluster }
    }

    /// One poison after the other, beside tasks that do no harm.
    async fn play(&mut self, poison: &[(&str, &str)]) {
        let each = size(50, 1200);
        self.feed(each).await;
        let (alone, since) = (self.p99(0.0).await, self.witness.now().await);
        let mut errors = Vec::new();
        for (kind, words) in poison {
            let id = self.engine.add(New::kind(kind, "")).await.expect("it is added").id;
            self.feed(each).await;
            errors.push(self.error_of(id, words).await);
        }
        let (beside, down) = (self.p99(since).await, self.went_down(since).await);
        let back = down.last().copied().unwrap_or_default();
        let kinds: Vec<&str> = poison.iter().map(|(kind, _)| *kind).collect();
        let bar = (alone * TIMES_MAX).max(NO_TIME_S);
        shown(
            "poison",
            format!(
                "a task that {}, beside {each} others {PACE:?} apart each; {} workers died and were started again",
                kinds.join(", one that "),
                self.deaths
            ),
            format!(
                "all of the others ended, p99 {beside:.3} s ({alone:.3} s without); {} went down with their worker and \
                 ended within {back:.1} s; the poison: {}",
                down.len(),
                errors.join("; ")
            ),
            format!("all, {bar:.3} s, {BACK_MAX_S} s, in error with its reason"),
            // In a sample, one in a hundred is the one that went down with its worker.
            size(true, beside <= bar && back <= BACK_MAX_S),
        );
    }

    /// Adds tasks at a steady pace, and waits for their end.
    async fn feed(&mut self, n: usize) {
        let mut ticks = tokio::time::interval(PACE);
        for _ in 0..n {
            ticks.tick().await;
            self.engine.add(New::kind("quick", self.added.to_string())).await.expect("it is added");
            self.added += 1;
            self.look_after_workers();
        }
        let ended = format!(
            "(select count(*) from trial_event where what = 'end' and kind = 'quick') >= {}",
            self.added
        );
        let began = Instant::now();
        while self.witness.number(&format!("select case when {ended} then 1 else 0 end")).await == 0.0 {
            assert!(began.elapsed() < PATIENCE, "the others do not end: {:?}", self.witness.tally().await);
            self.look_after_workers();
            tokio::time::sleep(PACE).await;
        }
    }

    /// Starts those again that died, as whoever looks after them would.
    fn look_after_workers(&mut self) {
        for worker in &mut self.working {
            if self.crew.has_ended(*worker) {
                self.deaths += 1;
                *worker = self.crew.launch(&WORDS);
            }
        }
    }

    /// How long it takes from add to end, at the 99th of a hundred of those that were added since.
    async fn p99(&self, since: f64) -> f64 {
        let times = self.times(since, "1 = 1").await;
        times[times.len() * 99 / 100]
    }

    /// How long those took that were added since and taken from a dead worker.
    async fn went_down(&self, since: f64) -> Vec<f64> {
        let reaped =
            "exists (select 1 from trial_event as reap where reap.what = 'reap' and reap.task = added.task)";
        self.times(since, reaped).await
    }

    /// From add to end, the shortest first, of those that were added since and of which this is true.
    async fn times(&self, since: f64, which: &str) -> Vec<f64> {
        let sql = format!(
            "select ended.at - added.at from trial_event as added \
             join trial_event as ended on ended.task = added.task and ended.what = 'end' \
             where added.what = 'add' and added.kind = 'quick' and added.at > {since} and {which}"
        );
        let rows = self.witness.client().await.rows(&sql).await;
        let mut times: Vec<f64> = rows.iter().map(|row| row[0].parse().expect("a number")).collect();
        times.sort_by(f64::total_cmp);
        times
    }

    /// Waits until a task is in `error`; says why.
    async fn error_of(&mut self, id: TaskId, words: &str) -> String {
        let began = Instant::now();
        loop {
            let task: Task = self.engine.get(id).await.expect("an answer").expect("it stays");
            if task.status == Status::Error {
                let why = task.errors.last().unwrap_or_default();
                assert!(why.contains(words), "{} ended by {why}", task.kind);
                return format!("{}: {why}", task.kind);
            }
            assert!(began.elapsed() < PATIENCE, "it does not end: {task:?}");
            self.look_after_workers();
            tokio::time::sleep(PACE).await;
        }
    }
}
