//! How fast a backlog of tasks that do nothing is worked off.

use crate::Result;
use crate::floor::Floor;
use crate::meter::Meter;
use crate::place::Scratch;
use crate::recorder::Recorder;
use crate::sample::Sample;
use crate::shape::{Figure, Shape};

const N: u32 = 100_000;

pub(crate) const DELETE: Shape = Shape {
    name: "drain",
    what: "100,000 ready tasks that do nothing are worked off; the floor claims and deletes 500 at a time",
    unit: "/s",
    figure: Figure::Rate,
    retention: Some("delete"),
    floor,
    engine: None,
};

pub(crate) const HISTORY: Shape = Shape {
    name: "drain-history",
    what: "the same with every ended task kept in the history; the floor keeps nothing",
    retention: Some("history"),
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
