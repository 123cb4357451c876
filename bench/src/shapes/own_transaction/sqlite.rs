//! Own transactions on SQLite, where one writes after the other.

use super::{ORDER, ORDERS};
use crate::Result;
use crate::engine::{self, KIND};
use crate::floor::{self, SQLITE_INSERT};
use crate::ground::Ground;
use crate::meter::Meter;
use crate::place::Place;
use crate::sample::Sample;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::path::Path;
use steadfast::New;
use steadfast::core::{Clock, seam::SystemClock};
use steadfast_sqlite::add_in;

const N: u32 = 2000;

pub(super) fn floor(ground: &Ground) -> Result<Sample> {
    drop(floor::open(ground.place())?);
    let mut mine = connect(path(ground)?)?;
    let meter = Meter::start(ground)?;
    for number in 0..N {
        let tx = order(&mut mine, number)?;
        tx.prepare_cached(SQLITE_INSERT)?.execute([number.to_string()])?;
        tx.commit()?;
    }
    meter.sample(N, Some(orders(&mine)? == N))
}

pub(super) fn run(ground: &Ground) -> Result<Sample> {
    engine::block_on(async {
        let engine = engine::open(ground.place()).await?.start().await?;
        let mut mine = connect(path(ground)?)?;
        let meter = Meter::start(ground)?;
        for number in 0..N {
            let task = engine.prepare(New::json(KIND, &number)).await?;
            let tx = order(&mut mine, number)?;
            add_in(&tx, vec![task], SystemClock.now())?;
            tx.commit()?;
        }
        let sample = meter.sample(N, None)?;
        let once = engine::living(&engine).await? == u64::from(N) && orders(&mine)? == N;
        Ok(Sample { once: Some(once), ..sample })
    })
}

fn path(ground: &Ground) -> Result<&Path> {
    match ground.place() {
        Place::File(path) => Ok(path),
        _ => Err("this is no file".into()),
    }
}

fn connect(path: &Path) -> Result<Connection> {
    let mine = Connection::open(path)?;
    mine.execute_batch(ORDERS)?;
    Ok(mine)
}

/// A transaction in which the row of an order is.
fn order(mine: &mut Connection, number: u32) -> Result<Transaction<'_>> {
    let tx = mine.transaction_with_behavior(TransactionBehavior::Immediate)?;
    tx.prepare_cached(ORDER)?.execute([number])?;
    Ok(tx)
}

fn orders(mine: &Connection) -> Result<u32> {
    Ok(mine.query_row("select count(*) from orders", [], |row| row.get(0))?)
}
