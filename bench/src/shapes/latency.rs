//! How long a task waits on an idle machine, from the call of add to the start of its handler.

use crate::engine::{self, KIND};
use crate::floor::Floor;
use crate::meter::Meter;
use crate::place::Scratch;
use crate::raw::Raw;
use crate::recorder::Recorder;
use crate::sample::Sample;
use crate::shape::{Figure, ROUNDS_ALL, Shape};
use crate::{Result, bar::Bar};
use std::sync::Arc;
use std::time::{Duration, Instant};
use steadfast::{Engine, New, Retention};

const N: u32 = 500;
/// A hundred a second: the machine sleeps in between, as it does in most services.
const EVERY: Duration = Duration::from_millis(10);

pub(crate) const SHAPE: Shape = Shape {
    name: "latency",
    what: "100 adds a second, from the call of add to the start of the handler; the floor is one committed insert at the same rate",
    unit: "/s",
    figure: Figure::P50,
    retention: Some("delete"),
    floor,
    raw: Some(raw),
    engine: Some(run),
    bars: &[Bar::OverFloorUs(100.0)],
    rounds_max: ROUNDS_ALL,
};

fn floor(scratch: &Scratch) -> Result<Sample> {
    let floor = Floor::open(scratch, "latency")?;
    inserts(|number| floor.insert(number))
}

fn raw(scratch: &Scratch) -> Result<Sample> {
    let raw = Raw::create(scratch, "latency")?;
    inserts(|number| raw.insert(number))
}

fn inserts(insert: impl Fn(u32) -> Result<()>) -> Result<Sample> {
    let meter = Meter::start()?;
    let mut times = Vec::new();
    let began = Instant::now();
    for number in 0..N {
        // By the plan and not by the last one: a slow insert must not thin out the load.
        std::thread::sleep((EVERY * number).saturating_sub(began.elapsed()));
        let called = Instant::now();
        insert(number)?;
        times.push(called.elapsed());
    }
    Ok(meter.sample(N, None)?.with_times(&mut times))
}

fn run(scratch: &Scratch) -> Result<Sample> {
    let path = scratch.database("tasks");
    engine::block_on(async {
        let recorder = Arc::new(Recorder::new(N));
        let engine =
            engine::open(&path)?.register(engine::noop(&recorder, Retention::Delete)).start().await?;
        let meter = Meter::start()?;
        let called = tokio::spawn(call(engine.clone(), Arc::clone(&recorder))).await??;
        engine::wait_for_ends(&engine, &recorder, N).await?;
        let sample = meter.sample(N, Some(recorder.once()))?;
        let mut times: Vec<Duration> = called
            .into_iter()
            .zip(0..)
            .map(|(called, number)| recorder.started(number).saturating_sub(called))
            .collect();
        Ok(sample.with_times(&mut times))
    })
}

/// Adds by the plan, from a thread of the runtime as a service would; answers when each add was called.
async fn call(engine: Engine, recorder: Arc<Recorder>) -> steadfast::Result<Vec<Duration>> {
    let mut called = Vec::new();
    let began = recorder.now();
    for number in 0..N {
        tokio::time::sleep((began + EVERY * number).saturating_sub(recorder.now())).await;
        called.push(recorder.now());
        engine.add(New::json(KIND, &number)).await?;
    }
    Ok(called)
}
