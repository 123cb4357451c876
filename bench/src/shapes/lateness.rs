//! How late scheduled tasks start when a thousand a second come due.

use crate::Result;
use crate::meter::Meter;
use crate::percentile;
use crate::place::Scratch;
use crate::recorder::Recorder;
use crate::sample::Sample;
use crate::shape::{Figure, Shape};
use std::time::Duration;

const N: u32 = 5000;
const EVERY: Duration = Duration::from_millis(1);

pub(crate) const SHAPE: Shape = Shape {
    name: "lateness",
    what: "5,000 tasks scheduled a millisecond apart, from the time they are due to the start of the handler; the floor is a thread that sleeps until each of those times, without a database",
    unit: "/s",
    figure: Figure::P50,
    retention: Some("delete"),
    floor,
    engine: None,
};

fn floor(_: &Scratch) -> Result<Sample> {
    let recorder = Recorder::new(N);
    let meter = Meter::start()?;
    for number in 0..N {
        std::thread::sleep((EVERY * number).saturating_sub(recorder.now()));
        recorder.hit(number);
    }
    let mut late: Vec<Duration> =
        (0..N).map(|number| recorder.started(number).saturating_sub(EVERY * number)).collect();
    let sample = meter.sample(N, Some(recorder.once()))?;
    Ok(Sample {
        p50_us: percentile::micros(&mut late, 50),
        p99_us: percentile::micros(&mut late, 99),
        ..sample
    })
}
