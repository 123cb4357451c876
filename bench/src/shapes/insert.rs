//! What one commit costs: the measure of this machine's disk.

use crate::ground::{Base, Ground};
use crate::meter::Meter;
use crate::sample::Sample;
use crate::shape::{Figure, ROUNDS_FEW, Shape};
use crate::{Result, floor, raw};

const N: u32 = 5000;

pub(crate) const SHAPE: Shape = Shape {
    base: Base::Sqlite,
    name: "insert",
    what: "5,000 rows inserted one after the other, a commit each; the engine has no part in it",
    unit: "/s",
    figure: Figure::Rate,
    retention: None,
    floor: Some(insert),
    raw: Some(insert_raw),
    engine: None,
    bars: &[],
    rounds_max: ROUNDS_FEW,
};

pub(crate) const POSTGRES: Shape = Shape { base: Base::Postgres, ..SHAPE };

pub(crate) const MYSQL: Shape = Shape { base: Base::MySql, ..SHAPE };

fn insert(ground: &Ground) -> Result<Sample> {
    let mut floor = floor::open(ground.place())?;
    let meter = Meter::start(ground)?;
    (0..N).try_for_each(|number| floor.insert(number))?;
    meter.sample(N, None)
}

fn insert_raw(ground: &Ground) -> Result<Sample> {
    let mut raw = raw::open(ground.place())?;
    let meter = Meter::start(ground)?;
    (0..N).try_for_each(|number| raw.insert(number))?;
    meter.sample(N, None)
}
