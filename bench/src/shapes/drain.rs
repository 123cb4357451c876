//! How fast a backlog of tasks that do nothing is worked off.

use crate::floor::Floor;
use crate::load::{self, Load, Sort};
use crate::meter::Meter;
use crate::place::Scratch;
use crate::raw::{End, Raw};
use crate::recorder::Recorder;
use crate::sample::Sample;
use crate::shape::{Figure, ROUNDS_ALL, Shape};
use crate::{Result, bar::Bar, engine};
use std::path::PathBuf;
use std::sync::Arc;
use steadfast::Retention;

const N: u32 = 100_000;

pub(crate) const DELETE: Shape = Shape {
    name: "drain",
    what: "100,000 ready tasks that do nothing are worked off, from the start of the engine to the last accepted finish; the floor claims and deletes 500 at a time",
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
    name: "drain-history",
    what: "the same with every ended task kept in the history; the floor keeps nothing",
    retention: Some("history"),
    raw: Some(|scratch| raw(scratch, End::History)),
    engine: Some(|scratch| run(scratch, Retention::History)),
    bars: &[Bar::OfShape("drain", 0.5)],
    ..DELETE
};

fn floor(scratch: &Scratch) -> Result<Sample> {
    let mut floor = Floor::open(scratch, "drain")?;
    floor.insert_all(0..N, 0)?;
    let recorder = Recorder::new(N);
    let meter = Meter::start()?;
    floor.drain(&recorder)?;
    meter.sample(N, Some(recorder.once()))
}

fn raw(scratch: &Scratch, end: End) -> Result<Sample> {
    let mut raw = Raw::open(&loaded(scratch)?)?;
    let recorder = Recorder::new(N);
    let meter = Meter::start()?;
    raw.drain(&recorder, end)?;
    meter.sample(N, Some(recorder.once()))
}

fn run(scratch: &Scratch, retention: Retention) -> Result<Sample> {
    let path = loaded(scratch)?;
    engine::block_on(async {
        let recorder = Arc::new(Recorder::new(N));
        let builder = engine::open(&path)?.register(engine::noop(&recorder, retention));
        let meter = Meter::start()?;
        let engine = builder.start().await?;
        engine::wait_for_ends(&engine, &recorder, N).await?;
        let sample = meter.sample(N, None)?;
        let once = engine::ended_once(&engine, &recorder, retention).await?;
        Ok(Sample { once: Some(once), ..sample })
    })
}

fn loaded(scratch: &Scratch) -> Result<PathBuf> {
    let path = scratch.database("tasks");
    load::apart(&path, &[Load { sort: Sort::Ready, n: N }])?;
    Ok(path)
}
