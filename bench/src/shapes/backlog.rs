//! What a long backlog costs in memory, and whether its first tasks still go fast.

use crate::engine::KIND;
use crate::floor::CLAIM_BATCH;
use crate::ground::{Base, Ground};
use crate::load::{self, Load, Sort};
use crate::meter::Meter;
use crate::recorder::Recorder;
use crate::sample::Sample;
use crate::shape::{Figure, Shape};
use crate::{Result, bar::Bar, engine, floor};
use std::sync::Arc;
use steadfast::Retention;

const BACKLOG: u32 = 1_000_000;
/// Enough for the database's caches to fill.
const N: u32 = 200_000;

pub(crate) const SHAPE: Shape = Shape {
    base: Base::Sqlite,
    name: "backlog",
    what: "the first 200,000 of 1,000,000 ready tasks, and the most memory that the engine's process held (12 MB of it are the bench's list of who ran); the floor claims and deletes 500 at a time from as many rows",
    unit: "/s",
    figure: Figure::Rate,
    retention: Some("delete"),
    floor: Some(claim),
    raw: None,
    engine: Some(run),
    bars: &[Bar::RssMb(150.0)],
    rounds_max: 1,
};

fn claim(ground: &Ground) -> Result<Sample> {
    let mut floor = floor::open(ground.place())?;
    floor.insert_all(0..BACKLOG)?;
    let recorder = Recorder::new(N);
    let meter = Meter::start(ground)?;
    for _ in 0..N / CLAIM_BATCH {
        let claimed = floor.claim(CLAIM_BATCH)?;
        recorder.hit_all(&claimed);
        floor.delete(&claimed)?;
    }
    meter.sample(N, Some(recorder.once()))
}

fn run(ground: &Ground) -> Result<Sample> {
    load::apart(ground.place(), &[Load { sort: Sort::Ready, n: BACKLOG }])?;
    engine::block_on(async {
        let recorder = Arc::new(Recorder::new(BACKLOG));
        let builder = engine::open(ground.place()).await?;
        let builder = engine::with_noops(builder, &[KIND], &recorder, Retention::Delete);
        let meter = Meter::start(ground)?;
        let engine = builder.start().await?;
        engine::wait_for_runs(&recorder, N).await?;
        // What a grab brings after the word to drain is given back: it did not run.
        if engine.drain().await?.left_behind > 0 {
            return Err("a run that does nothing did not end within the grace time".into());
        }
        let ran = recorder.hits();
        let sample = meter.sample(ran, None)?;
        let gone = u64::from(BACKLOG) - engine::living(&engine).await?;
        Ok(Sample { once: Some(recorder.at_most_once() && gone == u64::from(ran)), ..sample })
    })
}
