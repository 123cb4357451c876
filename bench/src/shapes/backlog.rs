//! What a long backlog costs in memory, and whether the first tasks still go fast.

use crate::Result;
use crate::floor::{CLAIM_BATCH, Floor};
use crate::meter::Meter;
use crate::place::Scratch;
use crate::recorder::Recorder;
use crate::sample::Sample;
use crate::shape::{Figure, Shape};

const BACKLOG: u32 = 1_000_000;
const N: u32 = 10_000;

pub(crate) const SHAPE: Shape = Shape {
    name: "backlog",
    what: "the first 10,000 of 1,000,000 ready tasks, and the most memory held meanwhile; the floor claims and deletes 500 at a time from as many rows",
    unit: "/s",
    figure: Figure::Rate,
    retention: Some("delete"),
    floor,
    engine: None,
};

fn floor(scratch: &Scratch) -> Result<Sample> {
    let mut floor = Floor::open(scratch, "backlog")?;
    floor.insert_all(0..BACKLOG, 0)?;
    let recorder = Recorder::new(N);
    let meter = Meter::start()?;
    for _ in 0..N / CLAIM_BATCH {
        let claimed = floor.claim(CLAIM_BATCH)?;
        recorder.hit_all(&claimed);
        floor.delete(&claimed)?;
    }
    meter.sample(N, Some(recorder.once()))
}
