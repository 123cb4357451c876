//! How late scheduled tasks start when ten thousand a second come due.

use crate::engine::{self, KIND};
use crate::ground::{Base, Ground};
use crate::meter::Meter;
use crate::recorder::Recorder;
use crate::sample::Sample;
use crate::shape::{Figure, ROUNDS_ALL, ROUNDS_FEW, Shape};
use crate::{Result, bar::Bar};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use steadfast::{Engine, New, Retention};

const N: u32 = 100_000;
const EVERY: Duration = Duration::from_micros(100);
/// Time to add all of them before the first is due.
const LEAD: Duration = Duration::from_secs(10);
/// The meter is started so long before that.
const READY: Duration = Duration::from_millis(200);
/// Tasks that one call adds.
const CHUNK: u32 = 1000;

pub(crate) const SQLITE: Shape = Shape {
    base: Base::Sqlite,
    name: "lateness",
    what: "100,000 tasks scheduled a tenth of a millisecond apart, from the time they are due to the start of the handler; the floor is a thread that sleeps until each of those times, without a database",
    unit: "/s",
    figure: Figure::P50,
    retention: Some("delete"),
    floor: Some(floor),
    raw: None,
    engine: Some(run),
    bars: &[Bar::P99Us(20_000.0)],
    rounds_max: ROUNDS_FEW,
};

pub(crate) const POSTGRES: Shape = Shape { base: Base::Postgres, rounds_max: ROUNDS_ALL, ..SQLITE };

fn floor(ground: &Ground) -> Result<Sample> {
    let recorder = Recorder::new(N);
    let meter = Meter::start(ground)?;
    let first = recorder.now();
    for number in 0..N {
        std::thread::sleep((first + EVERY * number).saturating_sub(recorder.now()));
        recorder.hit(number);
    }
    let sample = meter.sample(N, Some(recorder.once()))?;
    Ok(sample.with_times(&mut late(&recorder, first)))
}

fn run(ground: &Ground) -> Result<Sample> {
    engine::block_on(async {
        let recorder = Arc::new(Recorder::new(N));
        let builder = engine::open(ground.place()).await?;
        let engine = engine::with_noops(builder, &[KIND], &recorder, Retention::Delete).start().await?;
        let (first_at, first) = (SystemTime::now() + LEAD, recorder.now() + LEAD);
        add_all(&engine, first_at).await?;
        if recorder.now() + READY > first {
            return Err("the machine is too busy: the first was due before all were added".into());
        }
        tokio::time::sleep(first.saturating_sub(recorder.now() + READY)).await;
        let meter = Meter::start(ground)?;
        engine::wait_for_ends(&engine, &recorder, N).await?;
        let sample = meter.sample(N, Some(recorder.once()))?;
        Ok(sample.with_times(&mut late(&recorder, first)))
    })
}

async fn add_all(engine: &Engine, first_at: SystemTime) -> Result<()> {
    for first in (0..N).step_by(CHUNK as usize) {
        let numbers = first..first + CHUNK;
        let tasks = numbers.map(|number| New::json(KIND, &number).at(first_at + EVERY * number));
        engine.add_many(tasks).await?;
    }
    Ok(())
}

/// How late each started, where the first was due at that time.
fn late(recorder: &Recorder, first: Duration) -> Vec<Duration> {
    (0..N).map(|number| recorder.started(number).saturating_sub(first + EVERY * number)).collect()
}
