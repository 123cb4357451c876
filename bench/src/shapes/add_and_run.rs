//! The whole life of a task, with callers who each add one at a time.

use crate::counters::with_statements;
use crate::engine::{self, KIND};
use crate::floor::{self, CLAIM_BATCH, Floor};
use crate::ground::{Base, Ground};
use crate::meter::Meter;
use crate::numbers::Numbers;
use crate::place::Place;
use crate::recorder::Recorder;
use crate::sample::Sample;
use crate::shape::{Figure, ROUNDS_ALL, ROUNDS_FEW, Shape};
use crate::{Result, bar::Bar, raw};
use std::sync::Arc;
use std::time::Duration;
use steadfast::{Engine, New, Retention};

/// How long a drainer waits that was faster than the inserter.
const PAUSE: Duration = Duration::from_millis(2);

/// Who adds how many.
#[derive(Clone, Copy)]
struct Calls {
    n: u32,
    callers: u32,
    retention: Retention,
}

const ONE: Calls = Calls { n: 3000, callers: 1, retention: Retention::Delete };
const FEW: Calls = Calls { n: 20_000, callers: 16, ..ONE };
const MANY: Calls = Calls { n: 100_000, callers: 256, ..ONE };
const MANY_KEPT: Calls = Calls { retention: Retention::History, ..MANY };
const CROWD: Calls = Calls { n: 200_000, callers: 2000, ..ONE };

pub(crate) const DELETE: Shape = Shape {
    base: Base::Sqlite,
    name: "add-and-run",
    what: "256 callers at once add single tasks until 100,000 have run and their finishes are accepted; the floor inserts 1,000 and claims and deletes 500 at a time, on one connection",
    unit: "/s",
    figure: Figure::Rate,
    retention: Some("delete"),
    floor: Some(|ground| MANY.in_turn(ground)),
    raw: Some(|ground| MANY.plainly(ground)),
    engine: Some(|ground| MANY.run(ground)),
    bars: &[Bar::OfFloor(0.4)],
    rounds_max: ROUNDS_ALL,
};

pub(crate) const HISTORY: Shape = Shape {
    name: "add-and-run-history",
    what: "the same with every ended task kept in the history; the floor keeps nothing",
    retention: Some("history"),
    raw: Some(|ground| MANY_KEPT.plainly(ground)),
    engine: Some(|ground| MANY_KEPT.run(ground)),
    bars: &[Bar::OfShape("add-and-run", 0.5)],
    rounds_max: ROUNDS_FEW,
    ..DELETE
};

pub(crate) const SQLITE_ONE: Shape = Shape {
    name: "add-and-run-1",
    what: "one caller adds single tasks until 3,000 have run and their finishes are accepted; the floor inserts, claims and deletes row by row, a commit each",
    floor: Some(|ground| ONE.one_by_one(ground)),
    raw: None,
    engine: Some(|ground| ONE.run(ground)),
    bars: &[],
    rounds_max: ROUNDS_FEW,
    ..DELETE
};

pub(crate) const SQLITE_FEW: Shape = Shape {
    name: "add-and-run-16",
    what: "16 callers at once add single tasks until 20,000 have run and their finishes are accepted; the floor inserts, claims and deletes row by row, a commit each, on one connection",
    floor: Some(|ground| FEW.one_by_one(ground)),
    engine: Some(|ground| FEW.run(ground)),
    ..SQLITE_ONE
};

pub(crate) const SQLITE_CROWD: Shape = Shape {
    name: "add-and-run-2000",
    what: "2,000 callers at once add single tasks until 200,000 have run and their finishes are accepted; the floor inserts 1,000 and claims and deletes 500 at a time, on one connection",
    floor: Some(|ground| CROWD.in_turn(ground)),
    engine: Some(|ground| CROWD.run(ground)),
    ..SQLITE_ONE
};

pub(crate) const POSTGRES_DELETE: Shape = Shape {
    base: Base::Postgres,
    what: "256 callers at once add single tasks until 100,000 have run and their finishes are accepted; the floor inserts 1,000 at a time on one connection while it claims and deletes 500 at a time on another",
    floor: Some(|ground| MANY.at_once(ground)),
    bars: &[Bar::OfFloor(0.7)],
    ..DELETE
};

pub(crate) const POSTGRES_HISTORY: Shape =
    Shape { base: Base::Postgres, floor: Some(|ground| MANY.at_once(ground)), ..HISTORY };

pub(crate) const POSTGRES_ONE: Shape = Shape { base: Base::Postgres, ..SQLITE_ONE };

pub(crate) const POSTGRES_FEW: Shape = Shape {
    base: Base::Postgres,
    what: "16 callers at once add single tasks until 20,000 have run and their finishes are accepted; the floor inserts, claims and deletes row by row, a commit each, on 16 connections",
    ..SQLITE_FEW
};

pub(crate) const POSTGRES_CROWD: Shape = Shape {
    base: Base::Postgres,
    what: "2,000 callers at once add single tasks until 200,000 have run and their finishes are accepted; the floor inserts 1,000 at a time on one connection while it claims and deletes 500 at a time on another",
    floor: Some(|ground| CROWD.at_once(ground)),
    bars: &[Bar::OfFloor(1.0)],
    rounds_max: ROUNDS_ALL,
    ..SQLITE_CROWD
};

pub(crate) const MYSQL_DELETE: Shape =
    Shape { base: Base::MySql, bars: &[Bar::OfFloor(0.4)], rounds_max: ROUNDS_FEW, ..POSTGRES_DELETE };

pub(crate) const MYSQL_HISTORY: Shape = Shape { base: Base::MySql, ..POSTGRES_HISTORY };

pub(crate) const MYSQL_ONE: Shape = Shape { base: Base::MySql, ..POSTGRES_ONE };

pub(crate) const MYSQL_FEW: Shape = Shape { base: Base::MySql, ..POSTGRES_FEW };

pub(crate) const MYSQL_CROWD: Shape =
    Shape { base: Base::MySql, bars: &[], rounds_max: ROUNDS_FEW, ..POSTGRES_CROWD };

impl Calls {
    fn in_turn(self, ground: &Ground) -> Result<Sample> {
        let mut floor = floor::open(ground.place())?;
        let recorder = Recorder::new(self.n);
        let meter = Meter::start(ground)?;
        floor.insert_all(0..self.n)?;
        floor.drain(&recorder)?;
        meter.sample(self.n, Some(recorder.once()))
    }

    /// A database with many writers can do both at the same time.
    fn at_once(self, ground: &Ground) -> Result<Sample> {
        let n = self.n;
        let mut drainer = floor::open(ground.place())?;
        let mut inserter = floor::join(ground.place())?;
        let recorder = Recorder::new(n);
        let meter = Meter::start(ground)?;
        std::thread::scope(|scope| -> Result<()> {
            let inserting = scope.spawn(|| inserter.insert_all(0..n).map_err(|error| error.to_string()));
            while recorder.hits() < n {
                let claimed = drainer.claim(CLAIM_BATCH)?;
                if claimed.is_empty() {
                    std::thread::sleep(PAUSE);
                    continue;
                }
                recorder.hit_all(&claimed);
                drainer.delete(&claimed)?;
            }
            inserting.join().map_err(|_| "the inserter panicked")??;
            Ok(())
        })?;
        meter.sample(n, Some(recorder.once()))
    }

    /// As callers would do it who know of no batches, on a connection each; a file has one writer.
    fn one_by_one(self, ground: &Ground) -> Result<Sample> {
        let mut floors = vec![floor::open(ground.place())?];
        if !matches!(ground.place(), Place::File(_)) {
            for _ in 1..self.callers {
                floors.push(floor::join(ground.place())?);
            }
        }
        let (numbers, recorder) = (Numbers::below(self.n), Recorder::new(self.n));
        let meter = Meter::start(ground)?;
        std::thread::scope(|scope| -> Result<()> {
            let work = |floor: &mut Box<dyn Floor>| {
                live_one_by_one(floor.as_mut(), &numbers, &recorder).map_err(|error| error.to_string())
            };
            let working: Vec<_> = floors.iter_mut().map(|floor| scope.spawn(move || work(floor))).collect();
            for worker in working {
                worker.join().map_err(|_| "a connection's thread panicked")??;
            }
            Ok(())
        })?;
        // Who saw its row taken by another and no other row yet has left one behind.
        floors[0].drain(&recorder)?;
        meter.sample(self.n, Some(recorder.once()))
    }

    fn plainly(self, ground: &Ground) -> Result<Sample> {
        let mut raw = raw::open(ground.place())?;
        let recorder = Recorder::new(self.n);
        let meter = Meter::start(ground)?;
        raw.insert_all(0..self.n)?;
        raw.drain(&recorder, &[KIND], self.retention)?;
        meter.sample(self.n, Some(recorder.once()))
    }

    fn run(self, ground: &Ground) -> Result<Sample> {
        let (counters, sample) = engine::block_on(async {
            let recorder = Arc::new(Recorder::new(self.n));
            let (counters, builder) = engine::open_seen(ground.place()).await?;
            let engine = engine::with_noops(builder, &[KIND], &recorder, self.retention).start().await?;
            let numbers = Arc::new(Numbers::below(self.n));
            let meter = Meter::start(ground)?;
            let callers: Vec<_> =
                (0..self.callers).map(|_| tokio::spawn(call(engine.clone(), Arc::clone(&numbers)))).collect();
            for caller in callers {
                caller.await??;
            }
            engine::wait_for_ends(&engine, &recorder, self.n).await?;
            let sample = meter.sample(self.n, None)?;
            let once = engine::ended_once(&engine, &recorder, self.retention).await?;
            Ok((counters, Sample { once: Some(once), ..sample }))
        })?;
        with_statements(sample, counters.as_ref())
    }
}

/// Inserts, claims and deletes a row at a time, not always the same.
fn live_one_by_one(floor: &mut dyn Floor, numbers: &Numbers, recorder: &Recorder) -> Result<()> {
    while let Some(number) = numbers.next() {
        floor.insert(number)?;
        let claimed = floor.claim(1)?;
        recorder.hit_all(&claimed);
        if !claimed.is_empty() {
            floor.delete(&claimed)?;
        }
    }
    Ok(())
}

/// Adds one task after the other until all have been added.
async fn call(engine: Engine, numbers: Arc<Numbers>) -> steadfast::Result<()> {
    while let Some(number) = numbers.next() {
        engine.add(New::json(KIND, &number)).await?;
    }
    Ok(())
}
