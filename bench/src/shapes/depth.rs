//! Whether a task costs more the longer the line is in which it stands. Counted, not timed.

use super::counted;
use crate::Result;
use crate::bar::Bar;
use crate::ground::{Base, Ground};
use crate::load::{Load, Sort};
use crate::sample::Sample;
use crate::shape::{Figure, Shape};

/// Those of a longer line that are run.
const N: u32 = 50_000;

pub(crate) const SQLITE_SHORT: Shape = Shape {
    base: Base::Sqlite,
    name: "backlog-10k",
    what: "steps of the database's machine for each of 10,000 ready tasks from look to finish (fewer is better)",
    unit: "steps/task",
    figure: Figure::Rate,
    retention: Some("delete"),
    floor: None,
    raw: None,
    engine: Some(|ground| run(ground, Load { sort: Sort::Ready, n: 10_000 })),
    bars: &[],
    rounds_max: 1,
};

pub(crate) const SQLITE_LONG: Shape = Shape {
    name: "backlog-100k",
    what: "the same for the first 50,000 of 100,000",
    engine: Some(|ground| run(ground, Load { sort: Sort::Ready, n: 100_000 })),
    bars: &[Bar::WorkOfShape("backlog-10k", 1.1)],
    ..SQLITE_SHORT
};

pub(crate) const SQLITE_LONGEST: Shape = Shape {
    name: "backlog-1m",
    what: "the same for the first 50,000 of 1,000,000",
    engine: Some(|ground| run(ground, Load { sort: Sort::Ready, n: 1_000_000 })),
    ..SQLITE_LONG
};

pub(crate) const POSTGRES_SHORT: Shape = Shape {
    base: Base::Postgres,
    name: "backlog-1k",
    what: "buffers that the server looks into for each of 50,000 ready tasks from look to finish (fewer is better), of which each thousand is there only when the one before it has run",
    unit: "buffers/task",
    // As many as in the longer lines, and in the same tables: a row's cost may hang on those that went before it.
    engine: Some(|ground| counted::run_by_turns(ground, 1_000, N / 1_000)),
    ..SQLITE_SHORT
};

pub(crate) const POSTGRES_LONG: Shape = Shape {
    base: Base::Postgres,
    unit: "buffers/task",
    engine: Some(|ground| run(ground, Load { sort: Sort::Written, n: 100_000 })),
    bars: &[Bar::WorkOfShape("backlog-1k", 1.1)],
    ..SQLITE_LONG
};

pub(crate) const POSTGRES_LONGEST: Shape = Shape {
    name: "backlog-10m",
    what: "the same for the first 50,000 of 10,000,000",
    engine: Some(|ground| run(ground, Load { sort: Sort::Written, n: 10_000_000 })),
    ..POSTGRES_LONG
};

fn run(ground: &Ground, load: Load) -> Result<Sample> {
    counted::run(ground, &[load], load.n, N.min(load.n))
}
