//! What callers get who add single tasks that somebody else runs.

use crate::engine::{self, KIND};
use crate::floor::{self, PostgresFloor};
use crate::ground::{Base, Ground};
use crate::meter::Meter;
use crate::place::Place;
use crate::sample::Sample;
use crate::shape::{Figure, ROUNDS_ALL, Shape};
use crate::{Result, bar::Bar, plain, raw};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use steadfast::{Engine, New};
use steadfast_postgres::tokio_postgres::{Client, Error};

const N: u32 = 20_000;
const CALLERS: usize = 16;

pub(crate) const POSTGRES: Shape = Shape {
    base: Base::Postgres,
    name: "add",
    what: "16 callers at once add single tasks through an engine that only adds, until all 20,000 are committed; the floor inserts single rows, a commit each, on 16 connections",
    unit: "/s",
    figure: Figure::Rate,
    retention: None,
    floor: |ground| {
        drop(PostgresFloor::open(schema(ground)?)?);
        insert(ground, "", floor::POSTGRES_INSERT)
    },
    raw: Some(|ground| {
        drop(raw::open(ground.place())?);
        insert(ground, raw::POSTGRES_SETUP, raw::POSTGRES_INSERT)
    }),
    engine: Some(run),
    bars: &[Bar::OfFloor(1.2)],
    rounds_max: ROUNDS_ALL,
};

fn schema(ground: &Ground) -> Result<&str> {
    match ground.place() {
        Place::Schema(schema) => Ok(schema),
        Place::File(_) => Err("a file has one writer".into()),
    }
}

/// Hands out the numbers below [`N`], one at a time.
#[derive(Default)]
struct Numbers(AtomicU32);

impl Numbers {
    fn next(&self) -> Option<u32> {
        Some(self.0.fetch_add(1, Ordering::Relaxed)).filter(|number| *number < N)
    }
}

fn insert(ground: &Ground, setup: &str, sql: &'static str) -> Result<Sample> {
    engine::block_on(async {
        let mut clients = Vec::new();
        for _ in 0..CALLERS {
            let client = plain::connect(schema(ground)?).await?;
            client.batch_execute(setup).await?;
            clients.push(client);
        }
        let numbers = Arc::new(Numbers::default());
        let meter = Meter::start(ground)?;
        let callers: Vec<_> = clients
            .into_iter()
            .map(|client| tokio::spawn(insert_some(client, sql, numbers.clone())))
            .collect();
        for caller in callers {
            caller.await??;
        }
        meter.sample(N, None)
    })
}

async fn insert_some(client: Client, sql: &str, numbers: Arc<Numbers>) -> std::result::Result<(), Error> {
    let insert = client.prepare(sql).await?;
    while let Some(number) = numbers.next() {
        client.query(&insert, &[&number.cast_signed()]).await?;
    }
    Ok(())
}

fn run(ground: &Ground) -> Result<Sample> {
    engine::block_on(async {
        let engine = engine::open(ground.place()).await?.start().await?;
        let numbers = Arc::new(Numbers::default());
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
