//! The whole life of a task, with many callers who each add one at a time.

use crate::Result;
use crate::floor::Floor;
use crate::meter::Meter;
use crate::place::Scratch;
use crate::recorder::Recorder;
use crate::sample::Sample;
use crate::shape::{Figure, Shape};

const N: u32 = 100_000;

pub(crate) const DELETE: Shape = Shape {
    name: "add-and-run",
    what: "256 callers at once add single tasks until 100,000 have run; the floor inserts 1,000 and claims and deletes 500 at a time, on one connection",
    unit: "/s",
    figure: Figure::Rate,
    retention: Some("delete"),
    floor,
    engine: None,
};

pub(crate) const HISTORY: Shape = Shape {
    name: "add-and-run-history",
    what: "the same with every ended task kept in the history; the floor keeps nothing",
    retention: Some("history"),
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
