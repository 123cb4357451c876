//! What a task costs the database while much lies about that nobody may run. Counted, not timed.

use super::counted;
use crate::floor::CLAIM_BATCH;
use crate::ground::{Base, Ground};
use crate::load::{Load, Sort};
use crate::meter::Meter;
use crate::recorder::Recorder;
use crate::sample::Sample;
use crate::shape::{Figure, Shape};
use crate::{Result, bar::Bar, floor};

const N: u32 = 10_000;
const READY: Load = Load { sort: Sort::Ready, n: N };
const FULL: Load = Load { sort: Sort::Full, n: 100_000 };
const FOREIGN: Load = Load { sort: Sort::Foreign, n: 10_000 };
const WAITING: Load = Load { sort: Sort::Waiting, n: 1_000_000 };
const ENDED: Load = Load { sort: Sort::Ended, n: 5_000_000 };

pub(crate) const NONE: Shape = Shape {
    base: Base::Sqlite,
    name: "clutter-none",
    what: "steps of the database's machine for each of 10,000 tasks from look to finish (fewer is better) in a store without any others; the floor claims 500 at a time and does not end them",
    unit: "steps/task",
    figure: Figure::Rate,
    retention: Some("delete"),
    floor: Some(claim),
    raw: None,
    engine: Some(|ground| run(ground, &[READY])),
    bars: &[],
    rounds_max: 1,
};

/// Loads stand in the order of adding: all of the clutter is before what may run.
pub(crate) const ALL: Shape = Shape {
    name: "clutter",
    what: "the same behind 100,000 ready tasks of a kind whose limit is reached, a ready task in each of 10,000 kinds that nobody here handles, and 1,000,000 tasks of the future; the floor has no clutter",
    engine: Some(|ground| run(ground, &[FULL, FOREIGN, WAITING, READY])),
    bars: &[Bar::WorkOfShape("clutter-none", 1.1)],
    ..NONE
};

pub(crate) const POSTGRES_NONE: Shape = Shape {
    base: Base::Postgres,
    what: "buffers that the server looks into for each of 10,000 tasks from look to finish (fewer is better) in a store without any others; the floor claims 500 at a time and does not end them",
    unit: "buffers/task",
    ..NONE
};

pub(crate) const POSTGRES_ENDED: Shape = Shape {
    name: "clutter-history",
    what: "the same with 5,000,000 ended tasks in the history; the floor has no clutter",
    engine: Some(|ground| run(ground, &[ENDED, READY])),
    bars: &[Bar::WorkOfShape("clutter-none", 1.1)],
    ..POSTGRES_NONE
};

pub(crate) const POSTGRES_WAITING: Shape = Shape {
    name: "clutter-waiting",
    what: "the same with 1,000,000 tasks of the future; the floor has no clutter",
    engine: Some(|ground| run(ground, &[WAITING, READY])),
    ..POSTGRES_ENDED
};

pub(crate) const POSTGRES_KINDS: Shape = Shape {
    name: "clutter-kinds",
    what: "the same behind a ready task in each of 10,000 kinds that nobody here handles; the floor has no clutter",
    engine: Some(|ground| run(ground, &[FOREIGN, READY])),
    ..POSTGRES_ENDED
};

pub(crate) const MYSQL_NONE: Shape = Shape {
    base: Base::MySql,
    what: "rows that the server reads for each of 10,000 tasks from look to finish, with all else that an engine does meanwhile (fewer is better), in a store without any others; the floor claims 500 at a time and does not end them",
    unit: "rows/task",
    ..NONE
};

pub(crate) const MYSQL_WAITING: Shape = Shape { base: Base::MySql, unit: "rows/task", ..POSTGRES_WAITING };

pub(crate) const MYSQL_KINDS: Shape = Shape { base: Base::MySql, unit: "rows/task", ..POSTGRES_KINDS };

fn claim(ground: &Ground) -> Result<Sample> {
    let mut floor = floor::open(ground.place())?;
    floor.insert_all(0..N)?;
    floor.analyze()?;
    floor.count_claims()?;
    let recorder = Recorder::new(N);
    let meter = Meter::start(ground)?;
    for _ in 0..N / CLAIM_BATCH {
        recorder.hit_all(&floor.claim(CLAIM_BATCH)?);
    }
    let sample = meter.sample(N, Some(recorder.once()))?;
    Ok(Sample { rate: f64::from(floor.claims_cost()?) / f64::from(N), ..sample })
}

fn run(ground: &Ground, loads: &[Load]) -> Result<Sample> {
    counted::run(ground, loads, N, N)
}
