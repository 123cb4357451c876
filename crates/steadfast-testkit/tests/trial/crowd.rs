//! Many tasks and four workers who all want them.

use super::crew::Crew;
use super::witness::{Tally, Witness};
use super::{adder, feed};
use std::time::{Duration, Instant};

const CALLERS: u64 = 4;
const BATCH: usize = 20;

/// Adds so many tasks of all sorts from several callers; says what came of them once all have ended, and how long that
/// took.
pub(crate) async fn run(url: &str, witness: &Witness, n: u64) -> (Tally, Duration) {
    let mut crew = Crew::new(url.to_owned());
    crew.start_all(4, &["slots=64"]);
    let (engine, began) = (adder(url).await, Instant::now());
    let callers: Vec<_> = (0..CALLERS)
        .map(|caller| {
            let engine = engine.clone();
            tokio::spawn(async move {
                for start in (caller * n / CALLERS..(caller + 1) * n / CALLERS).step_by(BATCH) {
                    let end = (start + BATCH as u64).min((caller + 1) * n / CALLERS);
                    feed::add(&engine, start..end, feed::mixed).await;
                }
            })
        })
        .collect();
    for caller in callers {
        caller.await.unwrap();
    }
    let tally = witness.all_ended(n).await;
    assert_eq!(u64::try_from(tally.grabs).unwrap(), n, "each task was granted once: {tally:?}");
    assert_eq!(tally.attempt_max, 1);
    (tally, began.elapsed())
}
