//! What a caller gets who adds tasks by the thousand that somebody else runs.

use crate::engine::{self, KIND};
use crate::floor::INSERT_BATCH;
use crate::ground::{Base, Ground};
use crate::meter::Meter;
use crate::sample::Sample;
use crate::shape::{Figure, ROUNDS_FEW, Shape};
use crate::{Result, floor, raw};
use steadfast::New;

const N: u32 = 100_000;

pub(crate) const SQLITE: Shape = Shape {
    base: Base::Sqlite,
    name: "add-many",
    what: "one caller adds 1,000 tasks at a time through an engine that only adds, until all 100,000 are committed; the floor inserts 1,000 rows at a time",
    unit: "/s",
    figure: Figure::Rate,
    retention: None,
    floor: Some(insert),
    raw: Some(insert_raw),
    engine: Some(run),
    bars: &[],
    rounds_max: ROUNDS_FEW,
};

pub(crate) const POSTGRES: Shape = Shape { base: Base::Postgres, ..SQLITE };

pub(crate) const MYSQL: Shape = Shape { base: Base::MySql, ..SQLITE };

fn insert(ground: &Ground) -> Result<Sample> {
    let mut floor = floor::open(ground.place())?;
    let meter = Meter::start(ground)?;
    floor.insert_all(0..N)?;
    meter.sample(N, None)
}

fn insert_raw(ground: &Ground) -> Result<Sample> {
    let mut raw = raw::open(ground.place())?;
    let meter = Meter::start(ground)?;
    raw.insert_all(0..N)?;
    meter.sample(N, None)
}

fn run(ground: &Ground) -> Result<Sample> {
    engine::block_on(async {
        let engine = engine::open(ground.place()).await?.start().await?;
        let meter = Meter::start(ground)?;
        for first in (0..N).step_by(INSERT_BATCH as usize) {
            let numbers = first..first + INSERT_BATCH;
            engine.add_many(numbers.map(|number| New::json(KIND, &number))).await?;
        }
        let sample = meter.sample(N, None)?;
        let once = engine::living(&engine).await? == u64::from(N);
        Ok(Sample { once: Some(once), ..sample })
    })
}
