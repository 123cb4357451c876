//! What callers get who add single tasks that somebody else runs.

use crate::engine::{self, KIND};
use crate::ground::{Base, Ground};
use crate::meter::Meter;
use crate::numbers::Numbers;
use crate::sample::Sample;
use crate::shape::{Figure, ROUNDS_ALL, ROUNDS_FEW, Shape};
use crate::single::{Insert, Single};
use crate::{Result, bar::Bar, floor, raw};
use std::sync::Arc;
use steadfast::{Engine, New};

const N: u32 = 20_000;
const CALLERS: usize = 16;

pub(crate) const POSTGRES: Shape = Shape {
    base: Base::Postgres,
    name: "add",
    what: "16 callers at once add single tasks through an engine that only adds, until all 20,000 are committed; the floor inserts single rows, a commit each, on 16 connections",
    unit: "/s",
    figure: Figure::Rate,
    retention: None,
    floor: Some(|ground| {
        drop(floor::open(ground.place())?);
        insert(ground, Insert { setup: "", sql: floor::POSTGRES_INSERT })
    }),
    raw: Some(|ground| {
        drop(raw::open(ground.place())?);
        insert(ground, Insert { setup: raw::POSTGRES_SETUP, sql: raw::POSTGRES_INSERT })
    }),
    engine: Some(run),
    bars: &[Bar::OfFloor(1.8)],
    rounds_max: ROUNDS_ALL,
};

pub(crate) const MYSQL: Shape = Shape {
    base: Base::MySql,
    floor: Some(|ground| {
        drop(floor::open(ground.place())?);
        insert(ground, Insert { setup: floor::MYSQL_SETUP, sql: floor::MYSQL_INSERT })
    }),
    raw: Some(|ground| {
        drop(raw::open(ground.place())?);
        insert(ground, Insert { setup: raw::MYSQL_SETUP, sql: raw::MYSQL_INSERT })
    }),
    bars: &[Bar::OfFloor(1.2)],
    rounds_max: ROUNDS_FEW,
    ..POSTGRES
};

fn insert(ground: &Ground, insert: Insert) -> Result<Sample> {
    engine::block_on(async {
        let mut sessions = Vec::new();
        for _ in 0..CALLERS {
            sessions.push(Single::open(ground.place(), insert).await?);
        }
        let numbers = Arc::new(Numbers::below(N));
        let meter = Meter::start(ground)?;
        let callers: Vec<_> =
            sessions.into_iter().map(|session| tokio::spawn(insert_some(session, numbers.clone()))).collect();
        for caller in callers {
            caller.await??;
        }
        meter.sample(N, None)
    })
}

async fn insert_some(mut session: Single, numbers: Arc<Numbers>) -> std::result::Result<(), String> {
    while let Some(number) = numbers.next() {
        session.insert(number).await?;
    }
    Ok(())
}

fn run(ground: &Ground) -> Result<Sample> {
    engine::block_on(async {
        let engine = engine::open(ground.place()).await?.start().await?;
        let numbers = Arc::new(Numbers::below(N));
        let meter = Meter::start(ground)?;
        let callers: Vec<_> =
            (0..CALLERS).map(|_| tokio::spawn(add_some(engine.clone(), numbers.clone()))).collect();
        for caller in callers {
            caller.await??;
        }
        let sample = meter.sample(N, None)?;
        let once = engine::living(&engine).await? == u64::from(N);
        Ok(Sample { once: Some(once), ..sample })
    })
}

async fn add_some(engine: Engine, numbers: Arc<Numbers>) -> steadfast::Result<()> {
    while let Some(number) = numbers.next() {
        engine.add(New::json(KIND, &number)).await?;
    }
    Ok(())
}
