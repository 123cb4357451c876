//! How fast a backlog of tasks that do nothing is worked off.

use crate::engine::{KIND, KINDS};
use crate::ground::{Base, Ground};
use crate::load::{self, Load, Sort};
use crate::meter::Meter;
use crate::recorder::Recorder;
use crate::sample::Sample;
use crate::shape::{Figure, ROUNDS_ALL, Shape};
use crate::{Result, bar::Bar, engine, floor, raw};
use std::sync::Arc;
use steadfast::Retention;

/// What is loaded and worked off.
#[derive(Clone, Copy)]
struct Backlog {
    load: Load,
    kinds: &'static [&'static str],
    retention: Retention,
}

const SQLITE: Backlog =
    Backlog { load: Load { sort: Sort::Ready, n: 100_000 }, kinds: &[KIND], retention: Retention::Delete };
const SQLITE_KEPT: Backlog = Backlog { retention: Retention::History, ..SQLITE };
const ONE_KIND: Backlog = Backlog { load: Load { sort: Sort::Ready, n: 50_000 }, ..SQLITE };
const TEN_KINDS: Backlog =
    Backlog { load: Load { sort: Sort::Tenfold, n: 50_000 }, kinds: &KINDS, ..ONE_KIND };
const KEPT: Backlog = Backlog { retention: Retention::History, ..ONE_KIND };

pub(crate) const DELETE: Shape = Shape {
    base: Base::Sqlite,
    name: "drain",
    what: "100,000 ready tasks that do nothing are worked off, from the start of the engine to the last accepted finish; the floor claims and deletes 500 at a time",
    unit: "/s",
    figure: Figure::Rate,
    retention: Some("delete"),
    floor: |ground| SQLITE.floor(ground),
    raw: Some(|ground| SQLITE.raw(ground)),
    engine: Some(|ground| SQLITE.run(ground)),
    bars: &[Bar::OfFloor(0.3)],
    rounds_max: ROUNDS_ALL,
};

pub(crate) const HISTORY: Shape = Shape {
    name: "drain-history",
    what: "the same with every ended task kept in the history; the floor keeps nothing",
    retention: Some("history"),
    raw: Some(|ground| SQLITE_KEPT.raw(ground)),
    engine: Some(|ground| SQLITE_KEPT.run(ground)),
    bars: &[Bar::OfShape("drain", 0.5)],
    ..DELETE
};

pub(crate) const POSTGRES_DELETE: Shape = Shape {
    base: Base::Postgres,
    what: "50,000 ready tasks that do nothing are worked off, from the start of the engine to the last accepted finish; the floor claims and deletes 500 at a time on one connection",
    floor: |ground| ONE_KIND.floor(ground),
    raw: Some(|ground| ONE_KIND.raw(ground)),
    engine: Some(|ground| ONE_KIND.run(ground)),
    bars: &[Bar::OfFloor(0.45)],
    ..DELETE
};

pub(crate) const POSTGRES_KINDS: Shape = Shape {
    name: "drain-kinds",
    what: "the same with tasks of ten kinds in turn; the floor knows no kinds",
    raw: Some(|ground| TEN_KINDS.raw(ground)),
    engine: Some(|ground| TEN_KINDS.run(ground)),
    ..POSTGRES_DELETE
};

pub(crate) const POSTGRES_HISTORY: Shape = Shape {
    name: "drain-history",
    what: "one kind, with every ended task kept in the history; the floor keeps nothing",
    retention: Some("history"),
    raw: Some(|ground| KEPT.raw(ground)),
    engine: Some(|ground| KEPT.run(ground)),
    bars: &[Bar::OfShape("drain", 0.5)],
    ..POSTGRES_DELETE
};

pub(crate) const MYSQL_DELETE: Shape =
    Shape { base: Base::MySql, bars: &[Bar::OfFloor(0.5)], ..POSTGRES_DELETE };

pub(crate) const MYSQL_KINDS: Shape = Shape { base: Base::MySql, ..POSTGRES_KINDS };

pub(crate) const MYSQL_HISTORY: Shape = Shape { base: Base::MySql, ..POSTGRES_HISTORY };

impl Backlog {
    fn floor(&self, ground: &Ground) -> Result<Sample> {
        let (mut floor, n) = (floor::open(ground.place())?, self.load.n);
        floor.insert_all(0..n)?;
        floor.analyze()?;
        let recorder = Recorder::new(n);
        let meter = Meter::start(ground)?;
        floor.drain(&recorder)?;
        meter.sample(n, Some(recorder.once()))
    }

    fn raw(&self, ground: &Ground) -> Result<Sample> {
        load::apart(ground.place(), &[self.load])?;
        let mut raw = raw::open(ground.place())?;
        let recorder = Recorder::new(self.load.n);
        let meter = Meter::start(ground)?;
        raw.drain(&recorder, self.kinds, self.retention)?;
        meter.sample(self.load.n, Some(recorder.once()))
    }

    fn run(&self, ground: &Ground) -> Result<Sample> {
        load::apart(ground.place(), &[self.load])?;
        engine::block_on(async {
            let recorder = Arc::new(Recorder::new(self.load.n));
            let builder = engine::open(ground.place()).await?;
            let builder = engine::with_noops(builder, self.kinds, &recorder, self.retention);
            let meter = Meter::start(ground)?;
            let engine = builder.start().await?;
            engine::wait_for_ends(&engine, &recorder, self.load.n).await?;
            let sample = meter.sample(self.load.n, None)?;
            let once = engine::ended_once(&engine, &recorder, self.retention).await?;
            Ok(Sample { once: Some(once), ..sample })
        })
    }
}
