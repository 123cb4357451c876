//! The whole life of a task, with many callers who each add one at a time.

use crate::engine::{self, KIND};
use crate::floor::Floor;
use crate::meter::Meter;
use crate::place::Scratch;
use crate::raw::{End, Raw};
use crate::recorder::Recorder;
use crate::sample::Sample;
use crate::shape::{Figure, ROUNDS_ALL, Shape};
use crate::{Result, bar::Bar};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use steadfast::{Engine, New, Retention};

const N: u32 = 100_000;
const CALLERS: u32 = 256;

pub(crate) const DELETE: Shape = Shape {
    name: "add-and-run",
    what: "256 callers at once add single tasks until 100,000 have run and their finishes are accepted; the floor inserts 1,000 and claims and deletes 500 at a time, on one connection",
    unit: "/s",
    figure: Figure::Rate,
    retention: Some("delete"),
    floor,
    raw: Some(|scratch| raw(scratch, End::Delete)),
    engine: Some(|scratch| run(scratch, Retention::Delete)),
    bars: &[Bar::OfFloor(0.3)],
    rounds_max: ROUNDS_ALL,
};

pub(crate) const HISTORY: Shape = Shape {
    name: "add-and-run-history",
    what: "the same with every ended task kept in the history; the floor keeps nothing",
    retention: Some("history"),
    raw: Some(|scratch| raw(scratch, End::History)),
    engine: Some(|scratch| run(scratch, Retention::History)),
    bars: &[Bar::OfShape("add-and-run", 0.5)],
    ..DELETE
};

fn floor(scratch: &Scratch) -> Result<Sample> {
    let mut floor = Floor::open(scratch, "add-and-run")?;
    let recorder = Recorder::new(N);
    let meter = Meter::start()?;
    floor.insert_all(0..N, 0)?;
    floor.drain(&recorder)?;
    meter.sample(N, Some(recorder.once()))
}

fn raw(scratch: &Scratch, end: End) -> Result<Sample> {
    let mut raw = Raw::create(scratch, "add-and-run")?;
    let recorder = Recorder::new(N);
    let meter = Meter::start()?;
    raw.insert_all(0..N)?;
    raw.drain(&recorder, end)?;
    meter.sample(N, Some(recorder.once()))
}

fn run(scratch: &Scratch, retention: Retention) -> Result<Sample> {
    let path = scratch.database("tasks");
    engine::block_on(async {
        let recorder = Arc::new(Recorder::new(N));
        let engine = engine::open(&path)?.register(engine::noop(&recorder, retention)).start().await?;
        let next = Arc::new(AtomicU32::new(0));
        let meter = Meter::start()?;
        let callers: Vec<_> =
            (0..CALLERS).map(|_| tokio::spawn(call(engine.clone(), Arc::clone(&next)))).collect();
        for caller in callers {
            caller.await??;
        }
        engine::wait_for_ends(&engine, &recorder, N).await?;
        let sample = meter.sample(N, None)?;
        let once = engine::ended_once(&engine, &recorder, retention).await?;
        Ok(Sample { once: Some(once), ..sample })
    })
}

/// Adds one task after the other until all have been added.
async fn call(engine: Engine, next: Arc<AtomicU32>) -> steadfast::Result<()> {
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= N {
            return Ok(());
        }
        engine.add(New::json(KIND, &number)).await?;
    }
}
