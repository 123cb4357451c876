//! Removing what is past its time, in bounded numbers.

use crate::columns::{micros, only, rows, unrows};
use crate::fault::Fallible;
use crate::pool::Pool;
use crate::sql::{Params, Sql};
use steadfast_core::seam::{Clean, Cleaned};
use tokio_postgres::types::Type;

const HISTORY: Sql = Sql {
    name: "clean_history",
    text: include_str!("../sql/clean_history.sql"),
    types: &[Type::INT8, Type::INT8, Type::INT8],
};
const KEYS: Sql =
    Sql { name: "clean_keys", text: include_str!("../sql/clean_keys.sql"), types: &[Type::INT8, Type::INT8] };
const RECEIPTS: Sql = Sql {
    name: "clean_receipts",
    text: include_str!("../sql/clean_receipts.sql"),
    types: &[Type::INT8, Type::INT8, Type::INT8],
};
const WORKERS: Sql = Sql {
    name: "clean_workers",
    text: include_str!("../sql/clean_workers.sql"),
    types: &[Type::INT8, Type::INT8, Type::INT8],
};
const RECALLS: Sql =
    Sql { name: "clean_recalls", text: include_str!("../sql/clean_recalls.sql"), types: &[Type::INT8] };

/// Removes at most `n_max` rows of each sort. Each sort is a transaction of its own: what fails leaves the
/// others cleaned.
pub(crate) async fn clean(pool: &Pool, clean: &Clean) -> Fallible<Cleaned> {
    let (now, n_max) = (pool.now(), rows(clean.n_max));
    Ok(Cleaned {
        history: run(pool, &HISTORY, &[&now, &micros(clean.history), &n_max]).await?,
        keys: run(pool, &KEYS, &[&now, &n_max]).await?,
        receipts: run(pool, &RECEIPTS, &[&now, &micros(clean.receipts), &n_max]).await?,
        workers: run(pool, &WORKERS, &[&now, &micros(clean.workers), &n_max]).await?,
        recalls: run(pool, &RECALLS, &[&n_max]).await?,
    })
}

async fn run(pool: &Pool, sql: &Sql, params: Params<'_>) -> Fallible<usize> {
    only(&pool.run(sql, params).await?).map(unrows)
}
