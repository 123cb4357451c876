//! How long a task waits on an idle machine, from the call of add to the start of its handler.

use crate::Result;
use crate::floor::Floor;
use crate::meter::Meter;
use crate::percentile;
use crate::place::Scratch;
use crate::sample::Sample;
use crate::shape::{Figure, Shape};
use std::time::{Duration, Instant};

const N: u32 = 1000;
/// A hundred a second: the machine sleeps in between, as it does in most services.
const EVERY: Duration = Duration::from_millis(10);

pub(crate) const SHAPE: Shape = Shape {
    name: "latency",
    what: "100 adds a second, from the call of add to the start of the handler; the floor is one committed insert at the same rate",
    unit: "/s",
    figure: Figure::P50,
    retention: Some("delete"),
    floor,
    engine: None,
};

fn floor(scratch: &Scratch) -> Result<Sample> {
    let floor = Floor::open(scratch, "latency")?;
    let meter = Meter::start()?;
    let mut times = Vec::new();
    let began = Instant::now();
    for number in 0..N {
        // By the plan and not by the last one: a slow insert must not thin out the load.
        std::thread::sleep((EVERY * number).saturating_sub(began.elapsed()));
        let called = Instant::now();
        floor.insert(number)?;
        times.push(called.elapsed());
    }
    let sample = meter.sample(N, None)?;
    Ok(Sample {
        p50_us: percentile::micros(&mut times, 50),
        p99_us: percentile::micros(&mut times, 99),
        ..sample
    })
}
