//! How fast a backlog of tasks with payloads of some size is worked off.

use crate::ground::{Base, Ground};
use crate::load::{self, Load, Sort};
use crate::meter::Meter;
use crate::pad::pad;
use crate::recorder::Recorder;
use crate::sample::Sample;
use crate::shape::{Figure, ROUNDS_FEW, Shape};
use crate::{Result, engine, floor};
use std::sync::Arc;

/// So many tasks with payloads of about so many bytes.
#[derive(Clone, Copy)]
struct Payloads {
    n: u32,
    bytes: u32,
}

const SMALL: Payloads = Payloads { n: 50_000, bytes: 100 };
const MIDDLE: Payloads = Payloads { n: 10_000, bytes: 10_000 };
const LARGE: Payloads = Payloads { n: 200, bytes: 1_000_000 };

pub(crate) const SQLITE_SMALL: Shape = Shape {
    base: Base::Sqlite,
    name: "payload-100b",
    what: "50,000 ready tasks with payloads of 100 bytes are worked off by a handler that reads them; the floor claims, reads and deletes 500 at a time",
    unit: "/s",
    figure: Figure::Rate,
    retention: Some("delete"),
    floor: Some(|ground| SMALL.floor(ground)),
    raw: None,
    engine: Some(|ground| SMALL.run(ground)),
    bars: &[],
    rounds_max: ROUNDS_FEW,
};

pub(crate) const SQLITE_MIDDLE: Shape = Shape {
    name: "payload-10kb",
    what: "the same for 10,000 tasks with payloads of 10 KB: a hundred a second are 1 MB/s",
    floor: Some(|ground| MIDDLE.floor(ground)),
    engine: Some(|ground| MIDDLE.run(ground)),
    ..SQLITE_SMALL
};

pub(crate) const SQLITE_LARGE: Shape = Shape {
    name: "payload-1mb",
    what: "the same for 200 tasks with payloads of 1 MB: the rate is in MB/s",
    floor: Some(|ground| LARGE.floor(ground)),
    engine: Some(|ground| LARGE.run(ground)),
    ..SQLITE_SMALL
};

pub(crate) const POSTGRES_SMALL: Shape = Shape { base: Base::Postgres, ..SQLITE_SMALL };

pub(crate) const POSTGRES_MIDDLE: Shape = Shape { base: Base::Postgres, ..SQLITE_MIDDLE };

pub(crate) const POSTGRES_LARGE: Shape = Shape { base: Base::Postgres, ..SQLITE_LARGE };

impl Payloads {
    fn floor(self, ground: &Ground) -> Result<Sample> {
        let mut floor = floor::open_padded(ground.place(), pad(self.bytes as usize))?;
        floor.insert_all(0..self.n)?;
        floor.analyze()?;
        let recorder = Recorder::new(self.n);
        let meter = Meter::start(ground)?;
        floor.drain(&recorder)?;
        meter.sample(self.n, Some(recorder.once()))
    }

    fn run(self, ground: &Ground) -> Result<Sample> {
        load::apart(ground.place(), &[Load { sort: Sort::Padded(self.bytes), n: self.n }])?;
        engine::block_on(async {
            let recorder = Arc::new(Recorder::new(self.n));
            let builder = engine::with_reader(engine::open(ground.place()).await?, &recorder);
            let meter = Meter::start(ground)?;
            let engine = builder.start().await?;
            engine::wait_for_ends(&engine, &recorder, self.n).await?;
            meter.sample(self.n, Some(recorder.once()))
        })
    }
}
