//! How fast a backlog of tasks that do nothing is worked off.

use crate::counters::with_statements;
use crate::ground::{Base, Ground};
use crate::load::{self, Load, Sort};
use crate::meter::Meter;
use crate::recorder::Recorder;
use crate::sample::Sample;
use crate::shape::{Figure, ROUNDS_ALL, ROUNDS_FEW, Shape};
use crate::{Result, bar::Bar, engine, floor, raw};
use std::sync::Arc;
use steadfast::Retention;

/// What is loaded and worked off.
#[derive(Clone, Copy)]
struct Backlog {
    load: Load,
    kinds: u32,
    retention: Retention,
}

const SQLITE: Backlog =
    Backlog { load: Load { sort: Sort::Ready, n: 100_000 }, kinds: 1, retention: Retention::Delete };
const SQLITE_KEPT: Backlog = Backlog { retention: Retention::History, ..SQLITE };
const ONE_KIND: Backlog = Backlog { load: Load { sort: Sort::Ready, n: 50_000 }, ..SQLITE };
const TEN_KINDS: Backlog = ONE_KIND.of_kinds(10);
const HUNDRED_KINDS: Backlog = ONE_KIND.of_kinds(100);
const MANY_KINDS: Backlog = ONE_KIND.of_kinds(10_000);
const KEPT: Backlog = Backlog { retention: Retention::History, ..ONE_KIND };

pub(crate) const DELETE: Shape = Shape {
    base: Base::Sqlite,
    name: "drain",
    what: "100,000 ready tasks that do nothing are worked off, from the start of the engine to the last accepted finish; the floor claims and deletes 500 at a time",
    unit: "/s",
    figure: Figure::Rate,
    retention: Some("delete"),
    floor: Some(|ground| SQLITE.floor(ground)),
    raw: Some(|ground| SQLITE.raw(ground)),
    engine: Some(|ground| SQLITE.run(ground)),
    bars: &[Bar::OfFloor(0.45)],
    rounds_max: ROUNDS_ALL,
};

pub(crate) const HISTORY: Shape = Shape {
    name: "drain-history",
    what: "the same with every ended task kept in the history; the floor keeps nothing",
    retention: Some("history"),
    raw: Some(|ground| SQLITE_KEPT.raw(ground)),
    engine: Some(|ground| SQLITE_KEPT.run(ground)),
    bars: &[Bar::OfShape("drain", 0.5)],
    rounds_max: ROUNDS_FEW,
    ..DELETE
};

pub(crate) const POSTGRES_DELETE: Shape = Shape {
    base: Base::Postgres,
    what: "50,000 ready tasks that do nothing are worked off, from the start of the engine to the last accepted finish; the floor claims and deletes 500 at a time on one connection",
    floor: Some(|ground| ONE_KIND.floor(ground)),
    raw: Some(|ground| ONE_KIND.raw(ground)),
    engine: Some(|ground| ONE_KIND.run(ground)),
    bars: &[Bar::OfFloor(0.65), Bar::CpuMs(5.0), Bar::RssMb(30.0)],
    ..DELETE
};

pub(crate) const POSTGRES_KINDS: Shape = Shape {
    name: "drain-kinds",
    what: "the same with tasks of ten kinds in turn; the floor knows no kinds",
    raw: Some(|ground| TEN_KINDS.raw(ground)),
    engine: Some(|ground| TEN_KINDS.run(ground)),
    bars: &[Bar::OfFloor(0.45)],
    rounds_max: ROUNDS_FEW,
    ..POSTGRES_DELETE
};

pub(crate) const POSTGRES_HUNDRED_KINDS: Shape = Shape {
    name: "drain-kinds-100",
    what: "50,000 ready tasks of a hundred kinds in turn, each with a handler; the floor knows no kinds",
    raw: Some(|ground| HUNDRED_KINDS.raw(ground)),
    engine: Some(|ground| HUNDRED_KINDS.run(ground)),
    bars: &[],
    rounds_max: ROUNDS_FEW,
    ..POSTGRES_DELETE
};

/// Plain statements that ask for ten thousand kinds at a time are nothing that anybody would send.
pub(crate) const POSTGRES_MANY_KINDS: Shape = Shape {
    name: "drain-kinds-10000",
    what: "50,000 ready tasks of 10,000 kinds in turn, each with a handler; the floor knows no kinds",
    raw: None,
    engine: Some(|ground| MANY_KINDS.run(ground)),
    ..POSTGRES_HUNDRED_KINDS
};

pub(crate) const SQLITE_HUNDRED_KINDS: Shape = Shape { base: Base::Sqlite, ..POSTGRES_HUNDRED_KINDS };

pub(crate) const SQLITE_MANY_KINDS: Shape = Shape { base: Base::Sqlite, ..POSTGRES_MANY_KINDS };

pub(crate) const POSTGRES_HISTORY: Shape = Shape {
    name: "drain-history",
    what: "one kind, with every ended task kept in the history; the floor keeps nothing",
    retention: Some("history"),
    raw: Some(|ground| KEPT.raw(ground)),
    engine: Some(|ground| KEPT.run(ground)),
    bars: &[Bar::OfShape("drain", 0.75)],
    ..POSTGRES_DELETE
};

pub(crate) const MYSQL_DELETE: Shape =
    Shape { base: Base::MySql, bars: &[Bar::OfFloor(0.5)], ..POSTGRES_DELETE };

pub(crate) const MYSQL_KINDS: Shape = Shape { base: Base::MySql, ..POSTGRES_KINDS };

pub(crate) const MYSQL_HISTORY: Shape = Shape {
    base: Base::MySql,
    bars: &[Bar::OfShape("drain", 0.5)],
    rounds_max: ROUNDS_FEW,
    ..POSTGRES_HISTORY
};

impl Backlog {
    /// The same with its tasks of so many kinds in turn.
    const fn of_kinds(self, kinds: u32) -> Self {
        Self { load: Load { sort: Sort::Kinds(kinds), n: self.load.n }, kinds, retention: self.retention }
    }

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
        let kinds = engine::kinds(self.kinds);
        let kinds: Vec<&str> = kinds.iter().map(String::as_str).collect();
        raw.drain(&recorder, &kinds, self.retention)?;
        meter.sample(self.load.n, Some(recorder.once()))
    }

    fn run(&self, ground: &Ground) -> Result<Sample> {
        load::apart(ground.place(), &[self.load])?;
        let (counters, sample) = engine::block_on(async {
            let recorder = Arc::new(Recorder::new(self.load.n));
            let (counters, builder) = engine::open_seen(ground.place()).await?;
            let builder = engine::with_noops(builder, &engine::kinds(self.kinds), &recorder, self.retention);
            let meter = Meter::start(ground)?;
            let engine = builder.start().await?;
            engine::wait_for_ends(&engine, &recorder, self.load.n).await?;
            let sample = meter.sample(self.load.n, None)?;
            let once = engine::ended_once(&engine, &recorder, self.retention).await?;
            Ok((counters, Sample { once: Some(once), ..sample }))
        })?;
        with_statements(sample, counters.as_ref())
    }
}
