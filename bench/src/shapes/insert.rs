//! What one commit costs: the measure of this machine's disk.

use crate::Result;
use crate::floor::Floor;
use crate::meter::Meter;
use crate::place::Scratch;
use crate::sample::Sample;
use crate::shape::{Figure, Shape};

const N: u32 = 5000;

pub(crate) const SHAPE: Shape = Shape {
    name: "insert",
    what: "5,000 rows inserted one after the other, a commit each; the engine has no part in it",
    unit: "/s",
    figure: Figure::Rate,
    retention: None,
    floor,
    engine: None,
};

fn floor(scratch: &Scratch) -> Result<Sample> {
    let floor = Floor::open(scratch, "insert")?;
    let meter = Meter::start()?;
    (0..N).try_for_each(|number| floor.insert(number))?;
    meter.sample(N, None)
}
