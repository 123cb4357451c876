//! Own transactions on PostgreSQL.

use super::{ORDER, ORDERS};
use crate::engine::{self, KIND};
use crate::floor::{self, POSTGRES_INSERT};
use crate::ground::Ground;
use crate::meter::Meter;
use crate::numbers::Numbers;
use crate::place::Place;
use crate::sample::Sample;
use crate::{Result, plain};
use std::sync::Arc;
use steadfast::{BoxError, Engine, New};
use steadfast_postgres::PgStore;
use steadfast_postgres::tokio_postgres::{Client, Statement};

const N: u32 = 10_000;
const CALLERS: usize = 16;

/// A caller with a connection and its statements.
struct Shop {
    mine: Client,
    order: Statement,
}

pub(super) fn floor(ground: &Ground) -> Result<Sample> {
    drop(floor::open(ground.place())?);
    engine::block_on(async {
        let shops = open_all(ground).await?;
        let numbers = Arc::new(Numbers::below(N));
        let meter = Meter::start(ground)?;
        let callers: Vec<_> =
            shops.into_iter().map(|shop| tokio::spawn(insert_some(shop, Arc::clone(&numbers)))).collect();
        for caller in callers {
            caller.await?.map_err(|error| error.to_string())?;
        }
        let sample = meter.sample(N, None)?;
        Ok(Sample { once: Some(orders(ground).await? == i64::from(N)), ..sample })
    })
}

async fn insert_some(mut shop: Shop, numbers: Arc<Numbers>) -> std::result::Result<(), BoxError> {
    let insert = shop.mine.prepare(POSTGRES_INSERT).await?;
    while let Some(number) = numbers.next() {
        let number = number.cast_signed();
        let tx = shop.mine.transaction().await?;
        tx.execute(&shop.order, &[&number]).await?;
        tx.execute(&insert, &[&number]).await?;
        tx.commit().await?;
    }
    Ok(())
}

pub(super) fn run(ground: &Ground) -> Result<Sample> {
    engine::block_on(async {
        let engine = engine::open(ground.place()).await?.start().await?;
        let shops = open_all(ground).await?;
        let numbers = Arc::new(Numbers::below(N));
        let meter = Meter::start(ground)?;
        let callers: Vec<_> = shops
            .into_iter()
            .map(|shop| tokio::spawn(add_some(engine.clone(), shop, Arc::clone(&numbers))))
            .collect();
        for caller in callers {
            caller.await?.map_err(|error| error.to_string())?;
        }
        let sample = meter.sample(N, None)?;
        let once = engine::living(&engine).await? == u64::from(N) && orders(ground).await? == i64::from(N);
        Ok(Sample { once: Some(once), ..sample })
    })
}

async fn add_some(
    engine: Engine,
    mut shop: Shop,
    numbers: Arc<Numbers>,
) -> std::result::Result<(), BoxError> {
    let store: &PgStore = engine.store()?;
    while let Some(number) = numbers.next() {
        let task = engine.prepare(New::json(KIND, &number)).await?;
        let tx = shop.mine.transaction().await?;
        tx.execute(&shop.order, &[&number.cast_signed()]).await?;
        let (_, bell) = store.add_in(&tx, vec![task]).await?;
        tx.commit().await?;
        bell.ring();
    }
    Ok(())
}

/// All callers, with their table made.
async fn open_all(ground: &Ground) -> Result<Vec<Shop>> {
    let mut shops = Vec::new();
    for at in 0..CALLERS {
        let mine = plain::postgres::connect(schema(ground)?).await?;
        if at == 0 {
            mine.batch_execute(ORDERS).await?;
        }
        let order = mine.prepare(ORDER).await?;
        shops.push(Shop { mine, order });
    }
    Ok(shops)
}

async fn orders(ground: &Ground) -> Result<i64> {
    let mine = plain::postgres::connect(schema(ground)?).await?;
    Ok(mine.query_one("select count(*) from orders", &[]).await?.try_get(0)?)
}

fn schema(ground: &Ground) -> Result<&str> {
    match ground.place() {
        Place::Schema(schema) => Ok(schema),
        _ => Err("this is no schema".into()),
    }
}
