//! Clocks that are wrong and that jump.
//!
//! Time is the store's: on servers that of the database, which jumps for all at once, while workers' own clocks decide
//! nothing. On SQLite it is the host's, which all processes share; so there is one clock to jump.

use super::fake_clock::FakeClock;
use super::history;
use crate::cluster::{self, Cluster};
use crate::trial::crew::Crew;
use crate::trial::witness::{PATIENCE, Tally, Witness};
use crate::trial::{database, shown, size};
use std::sync::Arc;
use std::time::{Duration, Instant};

const MINUTE: i64 = 60;
/// Offsets of the store's clock, in minutes. The last one is the latest: what was put off till then comes due.
const JUMPS: [i64; 8] = [10, 0, -10, 0, 10, -10, 0, 10];
/// Time between two jumps: some renews, and less than a lease.
const BETWEEN: Duration = Duration::from_secs(2);
const LEASE: &str = "lease_ms=3000";
const SLOTS: &str = "slots=16";
/// How far a clock may be read before another one that shows the same.
const TICK_S: f64 = 0.001;

/// A store with workers that add and run.
pub(crate) struct Scene {
    witness: Witness,
    pub(crate) crew: Crew,
    _cluster: Cluster,
}

impl Scene {
    pub(crate) async fn new(cluster: Cluster) -> Self {
        let name = &database(&cluster).await;
        let witness = Witness::new(cluster.address(), name).await;
        history::keep(&witness).await;
        let crew = Crew::new(cluster::url(&cluster.address(), name));
        Self { witness, crew, _cluster: cluster }
    }

    /// Starts a worker that adds for about so long, and goes by this clock.
    pub(crate) fn start(&mut self, clock: Option<&FakeClock>, adds_for: Duration) {
        // Each wave of adds takes a third of a second, and a little.
        let waves = format!("waves={}", adds_for.as_millis() / 350 + 1);
        self.crew.start_by(clock, &[LEASE, SLOTS, "adds=6", &waves]);
    }

    /// Waits for the end of all that was added; says what came of it and what must not have.
    pub(crate) async fn end(&self) -> (Tally, Vec<String>) {
        let began = Instant::now();
        let mut tally = self.witness.tally().await;
        while tally.alive > 0 || tally.added == 0 {
            assert!(began.elapsed() < PATIENCE, "not all tasks ended: {tally:?}");
            tokio::time::sleep(Duration::from_millis(100)).await;
            tally = self.witness.tally().await;
        }
        assert_eq!((tally.ended, tally.doubled), (tally.added, 0), "{tally:?}");
        assert_eq!((tally.ended_wrong, tally.granted_twice, tally.effects_wrong), (0, 0, 0), "{tally:?}");
        (tally, history::wrong(&self.witness, &self.crew).await)
    }

    /// Tasks that ran before their time, by the clock of the store. Those between which it jumped tell nothing.
    pub(crate) async fn early(&self) -> f64 {
        let granted = "select count(*) from trial_row where kind = 'later' and status = 5 and late";
        let all = self.witness.number(&format!("{granted} is not null")).await;
        assert!(all > 0.0, "no task was put off, so none could be early");
        self.witness.number(&format!("{granted} < -{TICK_S} and late > -60")).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_of_the_store_that_jumps_loses_and_reaps_nothing() {
    let clock = Arc::new(FakeClock::new());
    let mut scene = Scene::new(Cluster::by(clock.clone())).await;
    let jumps = size(&JUMPS[5..], &JUMPS);
    let lasts = BETWEEN * u32::try_from(jumps.len()).expect("a few");
    for _ in 0..2 {
        scene.start(Cluster::clock_of_workers(&clock), lasts);
    }
    for jump in jumps {
        // The time is the trial's subject.
        tokio::time::sleep(BETWEEN).await;
        clock.set(jump * MINUTE);
    }
    let (tally, wrong) = scene.end().await;
    let early = scene.early().await;
    shown(
        "clock skew",
        format!("{} jumps of the store's clock by 10 and 20 minutes, {} tasks", jumps.len(), tally.added),
        format!("lost 0, doubled 0, early {early}, reaped {}, against I1 to I10: {wrong:?}", tally.reaps),
        "lost 0, doubled 0, early 0, reaped 0, none",
        tally.reaps == 0 && early == 0.0 && wrong.is_empty(),
    );
}
