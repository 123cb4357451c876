//! Trial 3, the second half: workers are stopped until they are dead to all others, and go on. Those of a scene share a
//! database and wait for the end of their leases together.

use super::deaths::{LATE, LEASE, RECOVERY, SENDS, Scene, play};
use super::witness::PATIENCE;
use super::{shown, size};
use crate::cluster::Cluster;
use rustix::process::Signal;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Where the zombies of a scene are stopped, most of them with a finish on their lips; what each of them runs.
const STOPS: [(&str, &[&str]); 8] = [
    (LATE, SENDS),
    ("run.started", &[]),
    (LATE, SENDS),
    ("grab.committed", &[]),
    (LATE, SENDS),
    ("renew.sent", &[]),
    (LATE, SENDS),
    (LATE, SENDS),
];
/// Scenes at once: who is stopped leaves the machine to others.
const SCENES_MAX: usize = 3;
/// Late finishes that must be refused, of two hundred stops.
const REFUSED_MIN: usize = 150;
/// What a worker logs of each.
const REFUSED: &str = "grant lost, outcome dropped";
/// How soon a handler hears that its grant is lost, after its process woke up.
const HEARS_MAX: Duration = Duration::from_secs(1);
const POLL: Duration = Duration::from_millis(10);

/// What was seen of the zombies of a scene.
#[derive(Default)]
struct Seen {
    stops: usize,
    refused: usize,
    recovery: Duration,
    /// How long after its process woke up each zombie's last handler heard.
    heard: Vec<Duration>,
}

impl Scene {
    /// Waits until nothing is held any more by those who are stopped, and their leases are surely over.
    async fn forget(&self, zombies: &[usize], since: f64) -> Duration {
        let mut slowest = Duration::ZERO;
        for zombie in zombies {
            slowest = slowest.max(self.taken_over(since, *zombie).await);
        }
        let gone = Duration::from_secs_f64(self.witness.now().await - since);
        // The lease must be over whatever they held: the time is the trial's subject.
        tokio::time::sleep((LEASE + RECOVERY).saturating_sub(gone)).await;
        slowest
    }

    /// Waits until a zombie said something, but not for long; says whether it did.
    async fn says(&self, zombie: usize, words: &str, wait_max: Duration) -> bool {
        let began = Instant::now();
        while self.crew.said(zombie, words).is_empty() {
            if began.elapsed() > wait_max {
                return false;
            }
            tokio::time::sleep(POLL).await;
        }
        true
    }

    /// The tokens of all that a worker has run.
    fn runs_of(&self, worker: usize) -> Vec<String> {
        let token = |line: &String| Some(line.splitn(4, ' ').nth(3)?.replace(' ', "."));
        self.crew.said(worker, "RUN ").iter().filter_map(token).collect()
    }

    /// Waits until these runs of a zombie were told to end; says when the last of them was.
    async fn all_hear(&self, zombie: usize, tokens: &[String]) -> Duration {
        let began = Instant::now();
        loop {
            let lines = self.crew.said(zombie, "CANCELLED ");
            let heard = |token: &String| {
                let line = lines.iter().find(|line| line.ends_with(token.as_str()))?;
                line.split(' ').nth(1)?.parse().ok().map(Duration::from_micros)
            };
            if let Some(times) = tokens.iter().map(heard).collect::<Option<Vec<Duration>>>() {
                return times.into_iter().max().expect("it ran something");
            }
            assert!(
                began.elapsed() < PATIENCE,
                "not all runs of {} were told to end",
                self.crew.name(zombie)
            );
            tokio::time::sleep(POLL).await;
        }
    }

    async fn hears_of_its_death(&self, zombie: usize) {
        let heard = self.says(zombie, "declared dead", RECOVERY * 5).await;
        assert!(heard, "{} did not hear of its death", self.crew.name(zombie));
    }

    fn signal_all(&self, zombies: &[usize], signal: Signal) {
        for zombie in zombies {
            self.crew.signal(*zombie, signal);
        }
    }
}

/// Stops zombies at their points, and lets them go on when they are dead to the others: they can change nothing.
async fn finish_late(cluster: Arc<Cluster>, nth: usize, n: usize) -> Seen {
    let mut scene = Scene::new(&cluster, LEASE).await;
    let zombies: Vec<usize> =
        STOPS[..n].iter().map(|(point, more)| scene.launch(point, nth, "stop", more)).collect();
    for zombie in &zombies {
        tokio::task::block_in_place(|| scene.crew.stopped(*zombie));
    }
    let since = scene.witness.now().await;
    let recovery = scene.forget(&zombies, since).await;
    scene.signal_all(&zombies, Signal::CONT);
    let mut refused = 0;
    for (zombie, (point, _)) in zombies.iter().zip(STOPS) {
        scene.hears_of_its_death(*zombie).await;
        // Some had taken the tasks of another zombie, and were stopped when they gave those back.
        if point == LATE && scene.says(*zombie, REFUSED, HEARS_MAX).await {
            refused += scene.crew.said(*zombie, REFUSED).len();
        }
        scene.crew.kill(*zombie);
    }
    scene.check().await;
    Seen { stops: n, refused, recovery, ..Seen::default() }
}

/// Stops zombies while their handlers run, and lets them go on: each handler hears that it is to end.
async fn wake(cluster: Arc<Cluster>, n: usize) -> Seen {
    let mut scene = Scene::empty(&cluster, LEASE).await;
    let lease = scene.words();
    // More than they have slots: each of them gets some, as none of these runs ends.
    let words = [&*lease, "adds=6", "only=waits", "waits=1"];
    let zombies = tokio::task::block_in_place(|| scene.crew.start_all(n, &words));
    for zombie in &zombies {
        assert!(scene.says(*zombie, "RUN", PATIENCE).await, "a zombie runs nothing");
    }
    scene.signal_all(&zombies, Signal::STOP);
    for zombie in &zombies {
        tokio::task::block_in_place(|| scene.crew.stopped(*zombie));
    }
    scene.start();
    let since = scene.witness.now().await;
    let recovery = scene.forget(&zombies, since).await;
    let mut heard = Vec::new();
    for zombie in &zombies {
        // Those that run now, and not what it takes when it has begun anew.
        let tokens = scene.runs_of(*zombie);
        let woke = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is after 1970");
        scene.crew.signal(*zombie, Signal::CONT);
        scene.hears_of_its_death(*zombie).await;
        heard.push(scene.all_hear(*zombie, &tokens).await.saturating_sub(woke));
        scene.crew.kill(*zombie);
    }
    scene.check().await;
    Seen { stops: n, recovery, heard, ..Seen::default() }
}

/// So many zombies, a scene's at a time.
fn scenes(stops: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..stops).step_by(STOPS.len()).enumerate().map(move |(nth, at)| (nth, (stops - at).min(STOPS.len())))
}

fn sum(scenes: Vec<Seen>) -> Seen {
    scenes.into_iter().fold(Seen::default(), |all, one| Seen {
        stops: all.stops + one.stops,
        refused: all.refused + one.refused,
        recovery: all.recovery.max(one.recovery),
        heard: all.heard.into_iter().chain(one.heard).collect(),
    })
}

// L-20.
#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_worker_that_goes_on_after_its_lease_changes_nothing() {
    let cluster = Cluster::shared();
    let trials = scenes(size(2, 200)).map(|(nth, n)| finish_late(cluster.clone(), nth % 3 + 1, n));
    let Seen { stops, refused, recovery, .. } = sum(play(SCENES_MAX, trials).await);
    let least = REFUSED_MIN * stops / 200;
    shown(
        "G3 fenced finish",
        format!("{stops} workers stopped past their lease (SIGSTOP, SIGCONT) at 4 named points"),
        format!("late finishes accepted 0, refused {refused}, slowest recovery {recovery:.1?}"),
        format!("accepted 0, refused >= {least}, lease + {RECOVERY:?}"),
        refused >= least && recovery <= LEASE + RECOVERY,
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handler_whose_process_wakes_up_after_its_lease_is_told_to_end() {
    let cluster = Cluster::shared();
    let trials = scenes(size(2, 200)).map(|(_, n)| wake(cluster.clone(), n));
    let Seen { stops, heard, .. } = sum(play(SCENES_MAX, trials).await);
    let slowest = heard.iter().max().expect("some woke up");
    let soon = heard.iter().filter(|heard| **heard <= HEARS_MAX).count();
    shown(
        "G5 zombie window",
        format!("{stops} workers stopped past their lease with handlers running"),
        format!(
            "handlers told to end within {HEARS_MAX:?} of waking up: {soon} of {stops}, slowest {slowest:.2?}"
        ),
        format!("{stops} of {stops}"),
        soon == stops,
    );
}
