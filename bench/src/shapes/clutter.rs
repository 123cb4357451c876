//! What a task costs the database while much lies about that nobody may run. Counted, not timed.

use crate::floor::{CLAIM_BATCH, Floor};
use crate::load::{self, Load, Sort};
use crate::meter::Meter;
use crate::place::Scratch;
use crate::recorder::Recorder;
use crate::sample::Sample;
use crate::shape::{Figure, Shape};
use crate::{Result, bar::Bar, engine};
use std::sync::Arc;
use std::time::Duration;
use steadfast::{Handler, Retention, Run};
use steadfast_sqlite::{Call, Counters};

const N: u32 = 10_000;
const READY: Load = Load { sort: Sort::Ready, n: N };
/// In the order of adding: all of the clutter stands before what may run.
const CLUTTER: [Load; 4] = [
    Load { sort: Sort::Full, n: 100_000 },
    Load { sort: Sort::Foreign, n: 10_000 },
    Load { sort: Sort::Waiting, n: 1_000_000 },
    READY,
];
/// A counted figure needs no more of those that run than this gives; an engine that finds its tasks needs a second.
const PATIENCE: Duration = Duration::from_secs(30);
/// The calls on a task's way. The others come with time, whatever runs.
const ON_THE_WAY: [Call; 5] = [Call::Look, Call::Grab, Call::Payload, Call::Finish, Call::Due];

pub(crate) const NONE: Shape = Shape {
    name: "clutter-none",
    what: "steps of the database's machine for each of 10,000 tasks from look to finish (fewer is better) in a store without any others; the floor claims 500 at a time and does not end them",
    unit: "steps/task",
    figure: Figure::Rate,
    retention: Some("delete"),
    floor,
    raw: None,
    engine: Some(|scratch| run(scratch, &[READY])),
    bars: &[],
    rounds_max: 1,
};

pub(crate) const STEPS: Shape = Shape {
    name: "clutter",
    what: "the same behind 100,000 ready tasks of a kind whose limit is reached, a ready task in each of 10,000 kinds that nobody here handles, and 1,000,000 tasks of the future; the floor has no clutter",
    engine: Some(|scratch| run(scratch, &CLUTTER)),
    bars: &[Bar::StepsOfShape("clutter-none", 1.1)],
    ..NONE
};

fn floor(scratch: &Scratch) -> Result<Sample> {
    let mut floor = Floor::open(scratch, "clutter")?;
    floor.insert_all(0..N, 0)?;
    let recorder = Recorder::new(N);
    let meter = Meter::start()?;
    let mut steps = 0;
    for _ in 0..N / CLAIM_BATCH {
        let (claimed, cost) = floor.claim_counted(CLAIM_BATCH)?;
        recorder.hit_all(&claimed);
        steps += cost;
    }
    let sample = meter.sample(N, Some(recorder.once()))?;
    Ok(Sample { rate: f64::from(steps) / f64::from(N), ..sample })
}

fn run(scratch: &Scratch, loads: &[Load]) -> Result<Sample> {
    let path = scratch.database("tasks");
    load::apart(&path, loads)?;
    engine::block_on(async {
        let recorder = Arc::new(Recorder::new(N));
        let (store, builder) = engine::open_counted(&path)?;
        let builder = builder
            .register(engine::noop(&recorder, Retention::Delete))
            .register(full())
            .configure(|config| config.grace = Duration::from_millis(100));
        let meter = Meter::start()?;
        let engine = builder.start().await?;
        let ran = engine::runs_within(&recorder, N, PATIENCE).await;
        // What is given back is the one run that never ends.
        let _ = engine.drain().await?;
        let once = if ran < N { recorder.at_most_once() } else { recorder.once() };
        // What ran while the engine drained was counted too.
        let ran = recorder.hits();
        let sample = meter.sample(ran, Some(once))?;
        let (steps, statements) = costs(&store.counters(), ran)?;
        Ok(Sample { rate: steps, statements: Some(statements), ..sample })
    })
}

/// A handler whose one run never ends, so that its kind is full.
fn full() -> Handler {
    Handler::of("full", |run: Run| async move { run.cancelled().await }).limit(1)
}

/// Steps and statements for each of so many tasks; the error stream gets them by call.
fn costs(counters: &Counters, n: u32) -> Result<(f64, f64)> {
    let (mut steps, mut statements) = (0, 0);
    for call in ON_THE_WAY {
        let cost = counters.of(call);
        eprintln!("  {call:?}: {} calls, {} statements, {} steps", cost.calls, cost.statements, cost.steps);
        steps += cost.steps;
        statements += cost.statements;
    }
    // To the thousandth, which needs no floating point of 64 bits.
    let each = |sum: u64| -> Result<f64> {
        Ok(f64::from(u32::try_from(sum.saturating_mul(1000) / u64::from(n.max(1)))?) / 1000.0)
    };
    Ok((each(steps)?, each(statements)?))
}
