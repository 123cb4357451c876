//! How long a task waits on an idle machine, from the call of add to the start of its handler, here or in another
//! process.

use crate::engine::{self, KIND};
use crate::ground::{Base, Ground};
use crate::meter::Meter;
use crate::place::{self, Place};
use crate::recorder::Recorder;
use crate::sample::Sample;
use crate::shape::{Figure, ROUNDS_ALL, Shape};
use crate::{Result, bar::Bar, floor, raw};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use steadfast::{Engine, New, Retention};

const N: u32 = 500;
/// A hundred a second: the machine sleeps in between, as it does in most services.
const EVERY: Duration = Duration::from_millis(10);

pub(crate) const SHAPE: Shape = Shape {
    base: Base::Sqlite,
    name: "latency",
    what: "100 adds a second, from the call of add to the start of the handler; the floor is one committed insert at the same rate",
    unit: "/s",
    figure: Figure::P50,
    retention: Some("delete"),
    floor: insert,
    raw: Some(insert_raw),
    engine: Some(|ground| run(ground, From::Here)),
    bars: &[Bar::OverFloorUs(100.0)],
    rounds_max: ROUNDS_ALL,
};

pub(crate) const POSTGRES: Shape = Shape { base: Base::Postgres, ..SHAPE };

pub(crate) const POSTGRES_APART: Shape = Shape {
    name: "latency-apart",
    what: "the same with the adds in one process and the handlers in another",
    engine: Some(|ground| run(ground, From::Apart)),
    bars: &[Bar::OverFloorUs(500.0)],
    ..POSTGRES
};

pub(crate) const MYSQL: Shape = Shape { base: Base::MySql, ..SHAPE };

/// The server rings nobody: whoever waits has to look.
pub(crate) const MYSQL_APART: Shape =
    Shape { base: Base::MySql, bars: &[Bar::OverFloorUs(25_000.0)], ..POSTGRES_APART };

/// Where tasks are added.
#[derive(Clone, Copy)]
enum From {
    /// In the process that runs them.
    Here,
    /// In another one.
    Apart,
}

fn insert(ground: &Ground) -> Result<Sample> {
    let mut floor = floor::open(ground.place())?;
    inserts(ground, |number| floor.insert(number))
}

fn insert_raw(ground: &Ground) -> Result<Sample> {
    let mut raw = raw::open(ground.place())?;
    inserts(ground, |number| raw.insert(number))
}

fn inserts(ground: &Ground, mut insert: impl FnMut(u32) -> Result<()>) -> Result<Sample> {
    let meter = Meter::start(ground)?;
    let mut times = Vec::new();
    let began = Instant::now();
    for number in 0..N {
        // By the plan and not by the last one: a slow insert must not thin out the load.
        std::thread::sleep((EVERY * number).saturating_sub(began.elapsed()));
        let called = Instant::now();
        insert(number)?;
        times.push(called.elapsed());
    }
    Ok(meter.sample(N, None)?.with_times(&mut times))
}

fn run(ground: &Ground, from: From) -> Result<Sample> {
    engine::block_on(async {
        let recorder = Arc::new(Recorder::new(N));
        let builder = engine::open(ground.place()).await?;
        let engine = engine::with_noops(builder, &[KIND], &recorder, Retention::Delete).start().await?;
        let meter = Meter::start(ground)?;
        let called = match from {
            From::Here => tokio::spawn(call(engine.clone())).await??,
            From::Apart => call_apart(ground.place()).await?,
        };
        engine::wait_for_ends(&engine, &recorder, N).await?;
        let sample = meter.sample(N, Some(recorder.once()))?;
        let waited = |(called, number)| recorder.started(number).saturating_sub(recorder.since_began(called));
        let mut times: Vec<Duration> = called.into_iter().zip(0..).map(waited).collect();
        Ok(sample.with_times(&mut times))
    })
}

/// Adds by the plan, from a thread of the runtime as a service would; answers when each add was called.
async fn call(engine: Engine) -> steadfast::Result<Vec<SystemTime>> {
    let mut called = Vec::new();
    let began = Instant::now();
    for number in 0..N {
        tokio::time::sleep((EVERY * number).saturating_sub(began.elapsed())).await;
        called.push(SystemTime::now());
        engine.add(New::json(KIND, &number)).await?;
    }
    Ok(called)
}

/// The same in a process of its own.
async fn call_apart(place: &Place) -> Result<Vec<SystemTime>> {
    let child = place::own_program()?.arg("call").arg(place.to_string()).stdout(Stdio::piped()).spawn()?;
    let output = tokio::task::spawn_blocking(|| child.wait_with_output()).await??;
    if !output.status.success() {
        return Err(format!("the caller ended with {}", output.status).into());
    }
    let called: Vec<Duration> = serde_json::from_slice(&output.stdout)?;
    Ok(called.into_iter().map(|since| UNIX_EPOCH + since).collect())
}

/// What that process does; its times go to the standard output.
pub(crate) fn call_here(place: &Place) -> Result<()> {
    engine::block_on(async {
        let engine = engine::open(place).await?.start().await?;
        let called = tokio::spawn(call(engine)).await??;
        let since = called.iter().map(|at| at.duration_since(UNIX_EPOCH));
        println!("{}", serde_json::to_string(&since.collect::<std::result::Result<Vec<Duration>, _>>()?)?);
        Ok(())
    })
}
