//! Trial 3: workers are killed and stopped at every named point of the protocol while another one lives.

use super::crew::Crew;
use super::wire::Wire;
use super::witness::{PATIENCE, Witness};
use super::{database, shown, size};
use crate::cluster::{self, Cluster};
use crate::messages::SETTLED;
use rustix::process::Signal;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// Where a worker is killed.
const POINTS: [&str; 13] = [
    "add.sent",
    "add.committed",
    "limit.locked",
    "grab.sent",
    "grab.committed",
    "run.started",
    "park.sent",
    "finish.sent",
    "finish.committed",
    "renew.sent",
    "reap.marked",
    "release.sent",
    "settle.sent",
];
/// Where a stopped worker comes back as a zombie with a finish on its lips.
pub(crate) const LATE: &str = "finish.sent";
/// Runs that end in one statement: no session is lost with it, so that it is sent when the worker goes on.
pub(crate) const SENDS: &[&str] = &["only=plain"];
/// Where a stopped worker sits in a transaction with its locks held.
const INSIDE: [&str; 4] = ["park.sent", "limit.locked", "settle.sent", "add.sent"];
/// How long after a death its tasks must run again, beyond the lease.
pub(crate) const RECOVERY: Duration = Duration::from_secs(2);
pub(crate) const LEASE: Duration = Duration::from_secs(2);
const ADDS: &str = "adds=24";
/// Pairs of workers at once, of which one is hit and one lives: they wait more than they work.
pub(crate) const PAIRS_MAX: usize = 9;

/// Workers on a database of their own.
pub(crate) struct Scene {
    wire: Wire,
    pub(crate) witness: Witness,
    pub(crate) crew: Crew,
    lease: Duration,
}

impl Scene {
    /// With one worker that lives.
    pub(crate) async fn new(cluster: &Cluster, lease: Duration) -> Self {
        let mut scene = Self::empty(cluster, lease).await;
        scene.start();
        scene
    }

    pub(crate) async fn empty(cluster: &Cluster, lease: Duration) -> Self {
        let name = &database(cluster).await;
        let wire = Wire::new(cluster.address());
        let witness = Witness::new(cluster.address(), name).await;
        Self { crew: Crew::new(cluster::url(&wire.address(), name)), wire, witness, lease }
    }

    /// Starts a worker that nobody hits.
    pub(crate) fn start(&mut self) {
        tokio::task::block_in_place(|| self.crew.start(&[&self.words()]));
    }

    pub(crate) fn words(&self) -> String {
        format!("lease_ms={}", self.lease.as_millis())
    }

    /// Starts the worker that is to be hit at the nth time that it passes the point.
    pub(crate) fn launch(&mut self, point: &str, nth: usize, deed: &str, more: &[&str]) -> usize {
        let (point, nth, deed) = (format!("point={point}"), format!("nth={nth}"), format!("deed={deed}"));
        self.crew.launch(&[&[&*self.words(), ADDS, &point, &nth, &deed], more].concat())
    }

    /// All that was acknowledged ended, each by its last grant.
    pub(crate) async fn check(&self) {
        // The last add of a worker that was killed may come a moment after it.
        let began = std::time::Instant::now();
        let mut tally = self.witness.tally().await;
        while (tally.ended, tally.alive) != (tally.added, 0) {
            assert!(began.elapsed() < PATIENCE, "not all tasks ended: {tally:?}");
            tokio::time::sleep(Duration::from_millis(50)).await;
            tally = self.witness.tally().await;
        }
        assert_eq!((tally.ended_wrong, tally.granted_twice, tally.effects_wrong), (0, 0, 0), "{tally:?}");
        let ended =
            self.witness.client().await.column("select task from trial_event where what = 'end'").await;
        let ended: BTreeSet<String> = ended.into_iter().collect();
        assert!(self.crew.acknowledged().iter().all(|task| ended.contains(task)), "acknowledged and lost");
    }

    /// Waits until whatever a stopped worker held, if it held anything, was taken from it and runs again. Answers how
    /// long after its death that was.
    pub(crate) async fn taken_over(&self, died: f64, worker: usize) -> Duration {
        let held = format!(
            "not exists (select 1 from trial_task join trial_worker on trial_worker.id = trial_task.worker \
             where trial_task.status = 5 and trial_worker.name = '{}')",
            self.crew.name(worker)
        );
        self.witness.wait("the reap of a stopped worker", &held).await;
        let runs = self.runs_after_reap(worker);
        let again = format!("not exists (select 1 from ({runs}) as runs where again is null)");
        self.witness.wait("the next run of what was reaped", &again).await;
        self.recovery_after(died, worker).await
    }

    /// How long it took from a death until the last task of the dead worker ran again.
    async fn recovery_after(&self, died: f64, worker: usize) -> Duration {
        let runs = self.runs_after_reap(worker);
        let sql = format!("select coalesce(max(again) - {died}, 0) from ({runs}) as runs");
        Duration::from_secs_f64(self.witness.number(&sql).await.max(0.0))
    }

    /// When each task that was taken from a worker ran again.
    fn runs_after_reap(&self, worker: usize) -> String {
        format!(
            "select (select min(at) from trial_event as later \
             where what = 'grab' and later.task = reap.task and later.seq > reap.seq) as again \
             from trial_event as reap join trial_worker on trial_worker.id = reap.worker \
             where reap.what = 'reap' and trial_worker.name = '{}'",
            self.crew.name(worker)
        )
    }
}

/// Kills a worker at a point; answers how long its tasks took to run again.
async fn kill_at(cluster: Arc<Cluster>, n: usize, point: &'static str, lease: Duration) -> Duration {
    let mut scene = Scene::new(&cluster, lease).await;
    if point == "reap.marked" {
        // Somebody has to be dead for the victim to reap.
        let early = scene.crew.start(&[&scene.words(), ADDS]);
        scene.witness.wait("a run", "(select count(*) from trial_event where what = 'grab') > 5").await;
        scene.crew.kill(early);
    }
    let victim = scene.launch(point, n / POINTS.len() % 3 + 1, "kill", &[]);
    if point == "settle.sent" {
        // Only a reply that got lost is settled, and only that of an add.
        cut_until(&scene, "KILL").await;
    }
    if point == "reap.marked" {
        // Whoever is first marks the dead: if the survivor was, there is nothing left to die of.
        scene
            .witness
            .wait(
                "the reap",
                "exists (select 1 from trial_event where what = 'reap') \
                 or not exists (select 1 from trial_task)",
            )
            .await;
        scene.crew.signal(victim, Signal::KILL);
    }
    tokio::task::block_in_place(|| scene.crew.ended(victim));
    let died = scene.witness.now().await;
    scene.check().await;
    scene.recovery_after(died, victim).await
}

/// Cuts replies off until the worker passed its point.
async fn cut_until(scene: &Scene, mark: &str) {
    let began = std::time::Instant::now();
    while scene.crew.count(&format!("{mark} ")) == 0 {
        assert!(began.elapsed() < PATIENCE, "nothing was settled");
        scene.wire.only(SETTLED);
        scene.wire.cut();
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Stops a worker at a point until its lease is over, lets it go on, and sees that it hears of its death and can change
/// nothing. Answers how long its tasks took to run again.
pub(crate) async fn stop_at(
    cluster: Arc<Cluster>,
    point: &'static str,
    nth: usize,
    more: Vec<String>,
) -> Duration {
    let mut scene = Scene::new(&cluster, LEASE).await;
    let more: Vec<&str> = more.iter().map(String::as_str).collect();
    let zombie = scene.launch(point, nth, "stop", &more);
    if point == "settle.sent" {
        cut_until(&scene, "STOP").await;
    }
    tokio::task::block_in_place(|| scene.crew.stopped(zombie));
    let died = scene.witness.now().await;
    let recovery = scene.taken_over(died, zombie).await;
    let left = (LEASE + RECOVERY).saturating_sub(Duration::from_secs_f64(scene.witness.now().await - died));
    // The lease must be over whatever it held: the time is the trial's subject.
    tokio::time::sleep(left).await;
    scene.crew.signal(zombie, Signal::CONT);
    let heard = std::time::Instant::now();
    while scene.crew.count("declared dead") == 0 {
        assert!(
            heard.elapsed() < RECOVERY * 5,
            "the zombie did not hear of its death: {}",
            scene.crew.journal()
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    scene.crew.kill(zombie);
    scene.check().await;
    recovery
}

/// Plays trials, so many at a time.
pub(crate) async fn play<T: Send + 'static>(
    n_max: usize,
    trials: impl Iterator<Item = impl Future<Output = T> + Send + 'static>,
) -> Vec<T> {
    let room = Arc::new(Semaphore::new(n_max));
    let mut playing = Vec::new();
    for trial in trials {
        let room = room.clone();
        playing.push(tokio::spawn(async move {
            let _room = room.acquire().await.unwrap();
            trial.await
        }));
    }
    let mut results = Vec::new();
    for one in playing {
        results.push(one.await.expect("the trial ends well"));
    }
    results
}

// L-18.
#[tokio::test(flavor = "multi_thread")]
async fn kill_minus_nine_at_every_point_loses_nothing_and_recovers_in_time() {
    let cluster = Cluster::shared();
    let kills = size(POINTS.len() / 2, 16 * POINTS.len());
    let trials = (0..kills).map(|n| {
        // Two apart, so that a sample has some of each call.
        let (cluster, point) = (cluster.clone(), POINTS[n * 2 % POINTS.len()]);
        async move { (kill_at(cluster, n, point, LEASE).await, point) }
    });
    let (slowest, point) = play(PAIRS_MAX, trials).await.into_iter().max().unwrap();
    shown(
        "G6 recovery",
        format!("{kills} kills (-9) at {} named points, lease {LEASE:?}", POINTS.len()),
        format!("lost 0, doubled 0, slowest recovery {slowest:.1?} at {point}"),
        format!("lost 0, doubled 0, lease + {RECOVERY:?}"),
        slowest <= LEASE + RECOVERY,
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn five_kills_at_the_default_lease_recover_in_time() {
    if size(true, false) {
        println!("only with STEADFAST_TRIALS=full");
        return;
    }
    let (cluster, lease) = (Cluster::shared(), Duration::from_secs(15));
    let points = ["add.committed", "grab.committed", "run.started", "finish.sent", "renew.sent"];
    let trials = points.into_iter().enumerate().map(|(n, point)| {
        let cluster = cluster.clone();
        async move { (kill_at(cluster, n, point, lease).await, point) }
    });
    let mut slowest = Duration::ZERO;
    for (took, point) in play(PAIRS_MAX, trials).await {
        println!("default lease, {point}: running again after {took:.1?}");
        slowest = slowest.max(took);
    }
    shown(
        "G6 recovery",
        format!("5 kills (-9) at the default lease of {lease:?}"),
        format!("slowest recovery {slowest:.1?}"),
        format!("lease + {RECOVERY:?}"),
        slowest <= lease + RECOVERY,
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn effects_of_stopped_workers_are_there_once_for_each_task_that_is_done() {
    let cluster = Cluster::shared();
    let stops = size(2, 100);
    let trials = (0..stops).map(|n| {
        let (cluster, point) = (cluster.clone(), ["finish.sent", "run.started"][n % 2]);
        stop_at(cluster, point, n / 2 % 5 + 1, vec!["only=pays".into()])
    });
    let slowest = play(PAIRS_MAX, trials).await.into_iter().max().unwrap();
    shown(
        "G4 effects",
        format!("{stops} stops past the lease, in the handler and in its finish, with effects"),
        format!("effect rows = done tasks, slowest recovery {slowest:.1?}"),
        format!("exactly, lease + {RECOVERY:?}"),
        slowest <= LEASE + RECOVERY,
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_stopped_inside_a_transaction_holds_nobody_up_for_long() {
    let cluster = Cluster::shared();
    let stops = size(1, 16);
    let trials = (0..stops).map(|n| {
        let (cluster, point) = (cluster.clone(), INSIDE[n % INSIDE.len()]);
        async move { (stop_at(cluster, point, 1, Vec::new()).await, point) }
    });
    let (slowest, point) = play(PAIRS_MAX, trials).await.into_iter().max().unwrap();
    // The server ends its session, and with it the locks, before the lease is over.
    shown(
        "G6 recovery",
        format!("{stops} stops inside a transaction that holds locks"),
        format!("slowest recovery {slowest:.1?} at {point}"),
        format!("some, lease + {RECOVERY:?}"),
        slowest > Duration::ZERO && slowest <= LEASE + RECOVERY,
    );
}
