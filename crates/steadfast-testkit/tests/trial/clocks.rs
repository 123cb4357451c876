//! Workers whose own clocks are wrong: nothing goes by them.

use super::{shown, size};
use crate::cluster::Cluster;
use crate::fault::clock::Scene;
use crate::fault::fake_clock::FakeClock;
use std::time::Duration;

const HOUR: i64 = 3600;
const BETWEEN: Duration = Duration::from_millis(500);

#[tokio::test(flavor = "multi_thread")]
async fn workers_whose_clocks_are_wrong_and_jump_run_everything_in_time_and_once() {
    let mut scene = Scene::new(Cluster::new()).await;
    let (ahead, behind, jumping) = (FakeClock::new(), FakeClock::new(), FakeClock::new());
    ahead.set(HOUR);
    behind.set(-HOUR);
    let jumps = size(6, 40);
    for clock in [None, Some(&ahead), Some(&behind), Some(&jumping)] {
        scene.start(clock, BETWEEN * jumps);
    }
    for jump in 0..jumps {
        // The time is the trial's subject.
        tokio::time::sleep(BETWEEN).await;
        jumping.set(if jump % 2 == 0 { HOUR } else { -HOUR });
    }
    let (tally, wrong) = scene.end().await;
    let early = scene.early().await;
    shown(
        "clock skew",
        format!(
            "workers an hour ahead, an hour behind, and with {jumps} jumps by up to two hours, {} tasks",
            tally.added
        ),
        format!("lost 0, doubled 0, early {early}, reaped {}, against I1 to I10: {wrong:?}", tally.reaps),
        "lost 0, doubled 0, early 0, reaped 0, none",
        tally.reaps == 0 && early == 0.0 && wrong.is_empty(),
    );
}
