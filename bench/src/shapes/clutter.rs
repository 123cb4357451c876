//! What a grab costs the database while much lies about that nobody may run.

use crate::Result;
use crate::floor::{CLAIM_BATCH, Floor};
use crate::meter::Meter;
use crate::place::Scratch;
use crate::recorder::Recorder;
use crate::sample::Sample;
use crate::shape::{Figure, Shape};

const N: u32 = 10_000;

pub(crate) const STEPS: Shape = Shape {
    name: "clutter",
    what: "steps of the database's machine for each grabbed task (fewer is better) while 100,000 tasks of full kinds and 100,000 of the future lie about; the floor claims 500 at a time from a table without clutter",
    unit: "steps/task",
    figure: Figure::Rate,
    retention: Some("delete"),
    floor,
    engine: None,
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
