//! What one commit costs: the measure of this machine's disk.

use crate::Result;
use crate::floor::Floor;
use crate::meter::Meter;
use crate::place::Scratch;
use crate::raw::Raw;
use crate::sample::Sample;
use crate::shape::{Figure, ROUNDS_ALL, Shape};

const N: u32 = 5000;

pub(crate) const SHAPE: Shape = Shape {
    name: "insert",
    what: "5,000 rows inserted one after the other, a commit each; the engine has no part in it",
    unit: "/s",
    figure: Figure::Rate,
    retention: None,
    floor,
    raw: Some(raw),
    engine: None,
    bars: &[],
    rounds_max: ROUNDS_ALL,
};

fn floor(scratch: &Scratch) -> Result<Sample> {
    let floor = Floor::open(scratch, "insert")?;
    let meter = Meter::start()?;
    (0..N).try_for_each(|number| floor.insert(number))?;
    meter.sample(N, None)
}

fn raw(scratch: &Scratch) -> Result<Sample> {
    let raw = Raw::create(scratch, "insert")?;
    let meter = Meter::start()?;
    (0..N).try_for_each(|number| raw.insert(number))?;
    meter.sample(N, None)
}
