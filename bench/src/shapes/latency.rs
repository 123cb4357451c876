//! How long a task waits from the call of add to the start of its handler, here or in another process: on an idle
//! machine, and on one that has about half of the load that it can bear.

use crate::engine::{self, KIND};
use crate::ground::{Base, Ground};
use crate::meter::Meter;
use crate::place::{self, Place};
use crate::recorder::Recorder;
use crate::sample::Sample;
use crate::shape::{Figure, ROUNDS_ALL, ROUNDS_FEW, Shape};
use crate::tempo::Tempo;
use crate::{Result, bar::Bar, caller, floor, raw};
use std::ops::Range;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use steadfast::{New, Retention};

/// A hundred a second: the machine sleeps in between, as it does in most services.
const CALM: Tempo = Tempo { n: 500, each: 1, every_us: 10_000 };
/// About half of what PostgreSQL bears.
const TEN_THOUSAND: Tempo = Tempo { n: 50_000, each: 10, every_us: 1000 };
/// The same of SQLite.
const TWENTY_THOUSAND: Tempo = Tempo { n: 100_000, each: 20, every_us: 1000 };

pub(crate) const SHAPE: Shape = Shape {
    base: Base::Sqlite,
    name: "latency",
    what: "100 adds a second, from the call of add to the start of the handler; the floor is one committed insert at the same rate",
    unit: "/s",
    figure: Figure::P50,
    retention: Some("delete"),
    floor: Some(|ground| insert(ground, CALM)),
    raw: Some(|ground| insert_raw(ground, CALM)),
    engine: Some(|ground| run(ground, CALM, From::Here)),
    bars: &[Bar::OverFloorUs(100.0)],
    rounds_max: ROUNDS_FEW,
};

pub(crate) const SQLITE_BUSY: Shape = Shape {
    name: "latency-busy",
    what: "20,000 adds a second, 20 each millisecond, each by a caller of its own; the floor inserts 20 rows in one commit each millisecond",
    floor: Some(|ground| insert(ground, TWENTY_THOUSAND)),
    raw: Some(|ground| insert_raw(ground, TWENTY_THOUSAND)),
    engine: Some(|ground| run(ground, TWENTY_THOUSAND, From::Here)),
    bars: &[],
    ..SHAPE
};

pub(crate) const POSTGRES: Shape = Shape { base: Base::Postgres, rounds_max: ROUNDS_ALL, ..SHAPE };

pub(crate) const POSTGRES_BUSY: Shape = Shape {
    base: Base::Postgres,
    what: "10,000 adds a second, 10 each millisecond, each by a caller of its own; the floor inserts 10 rows in one commit each millisecond",
    floor: Some(|ground| insert(ground, TEN_THOUSAND)),
    raw: Some(|ground| insert_raw(ground, TEN_THOUSAND)),
    engine: Some(|ground| run(ground, TEN_THOUSAND, From::Here)),
    ..SQLITE_BUSY
};

pub(crate) const POSTGRES_BUSY_APART: Shape = Shape {
    name: "latency-busy-apart",
    what: "the same with the adds in one process and the handlers in another",
    engine: Some(|ground| run(ground, TEN_THOUSAND, From::Apart)),
    ..POSTGRES_BUSY
};

pub(crate) const POSTGRES_APART: Shape = Shape {
    name: "latency-apart",
    what: "the same with the adds in one process and the handlers in another",
    engine: Some(|ground| run(ground, CALM, From::Apart)),
    bars: &[Bar::OverFloorUs(500.0)],
    ..POSTGRES
};

pub(crate) const MYSQL: Shape = Shape { base: Base::MySql, ..SHAPE };

/// The server rings nobody: whoever waits has to look.
pub(crate) const MYSQL_APART: Shape = Shape {
    base: Base::MySql,
    bars: &[Bar::OverFloorUs(25_000.0)],
    rounds_max: ROUNDS_FEW,
    ..POSTGRES_APART
};

/// Where tasks are added.
#[derive(Clone, Copy)]
enum From {
    /// In the process that runs them.
    Here,
    /// In another one.
    Apart,
}

fn insert(ground: &Ground, tempo: Tempo) -> Result<Sample> {
    let mut floor = floor::open(ground.place())?;
    inserts(ground, tempo, |numbers| match tempo.each {
        1 => floor.insert(numbers.start),
        _ => floor.insert_all(numbers),
    })
}

fn insert_raw(ground: &Ground, tempo: Tempo) -> Result<Sample> {
    let mut raw = raw::open(ground.place())?;
    inserts(ground, tempo, |numbers| match tempo.each {
        1 => raw.insert(numbers.start),
        _ => raw.insert_all(numbers),
    })
}

fn inserts(
    ground: &Ground,
    tempo: Tempo,
    mut insert: impl FnMut(Range<u32>) -> Result<()>,
) -> Result<Sample> {
    let meter = Meter::start(ground)?;
    let mut times = Vec::new();
    let began = Instant::now();
    for (at, numbers) in tempo.turns() {
        // By the plan and not by the last one: a slow insert must not thin out the load.
        std::thread::sleep(at.saturating_sub(began.elapsed()));
        let called = Instant::now();
        insert(numbers)?;
        times.push(called.elapsed());
    }
    Ok(meter.sample(tempo.n, None)?.with_times(&mut times))
}

fn run(ground: &Ground, tempo: Tempo, from: From) -> Result<Sample> {
    engine::block_on(async {
        let recorder = Arc::new(Recorder::new(tempo.n));
        let builder = engine::open(ground.place()).await?;
        let engine = engine::with_noops(builder, &[KIND], &recorder, Retention::Delete).start().await?;
        let meter = Meter::start(ground)?;
        let called = match from {
            From::Here => tokio::spawn(caller::call(engine.clone(), tempo, task, || true)).await??,
            From::Apart => call_apart(ground.place(), tempo).await?,
        };
        engine::wait_for_ends(&engine, &recorder, tempo.n).await?;
        let sample = meter.sample(tempo.n, Some(recorder.once()))?;
        let waited = |(called, number)| recorder.started(number).saturating_sub(recorder.since_began(called));
        let mut times: Vec<Duration> = called.into_iter().zip(0..).map(waited).collect();
        Ok(sample.with_times(&mut times))
    })
}

fn task(number: u32) -> New {
    New::json(KIND, &number)
}

/// Adds in a process of its own; answers when each add was called.
async fn call_apart(place: &Place, tempo: Tempo) -> Result<Vec<SystemTime>> {
    let mut program = place::own_program()?;
    let child =
        program.arg("call").args([place.to_string(), tempo.to_string()]).stdout(Stdio::piped()).spawn()?;
    let output = tokio::task::spawn_blocking(|| child.wait_with_output()).await??;
    if !output.status.success() {
        return Err(format!("the caller ended with {}", output.status).into());
    }
    let called: Vec<Duration> = serde_json::from_slice(&output.stdout)?;
    Ok(called.into_iter().map(|since| UNIX_EPOCH + since).collect())
}

/// What that process does; its times go to the standard output.
pub(crate) fn call_here(place: &Place, tempo: Tempo) -> Result<()> {
    engine::block_on(async {
        let engine = engine::open(place).await?.start().await?;
        let called = tokio::spawn(caller::call(engine, tempo, task, || true)).await??;
        let since = called.iter().map(|at| at.duration_since(UNIX_EPOCH));
        println!("{}", serde_json::to_string(&since.collect::<std::result::Result<Vec<Duration>, _>>()?)?);
        Ok(())
    })
}
