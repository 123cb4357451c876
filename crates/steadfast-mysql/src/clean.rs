//! Removing what is past its time, in bounded numbers.

use crate::columns::{ids, micros, rows};
use crate::db::Db;
use crate::fault::Fallible;
use crate::pool::Pool;
use crate::row;
use crate::search::{self, Terms};
use crate::sql::{Params, Sql, params};
use steadfast_core::seam::{Clean, Cleaned};

const HISTORY: Sql = Sql(include_str!("../sql/clean_history.sql"));
const HISTORY_REMOVE: Sql = Sql(include_str!("../sql/history_remove.sql"));
const KEYS: Sql = Sql(include_str!("../sql/clean_keys.sql"));
const RECEIPTS: Sql = Sql(include_str!("../sql/clean_receipts.sql"));
const WORKERS: Sql = Sql(include_str!("../sql/clean_workers.sql"));
const RECALLS: Sql = Sql(include_str!("../sql/clean_recalls.sql"));

/// Removes at most `n_max` rows of each sort. Each sort is a transaction of its own: what fails leaves the
/// others cleaned.
pub(crate) async fn clean(pool: &Pool, clean: &Clean) -> Fallible<Cleaned> {
    let n_max = rows(clean.n_max);
    let mut tx = pool.begin().await?;
    let now = tx.db().now.micros();
    let before = |keep| now - micros(keep);
    let history = clean_history(&mut tx.db(), before(clean.history), n_max).await;
    Ok(Cleaned {
        history: tx.end(history).await?,
        keys: run(pool, &KEYS, params![now, n_max]).await?,
        receipts: run(pool, &RECEIPTS, params![before(clean.receipts), n_max]).await?,
        workers: run(pool, &WORKERS, params![before(clean.workers), n_max]).await?,
        recalls: run(pool, &RECALLS, params![n_max]).await?,
    })
}

async fn clean_history(db: &mut Db<'_>, before: i64, n_max: i64) -> Fallible<usize> {
    let found = db.query(&HISTORY, params![before, n_max]).await?;
    let (mut old, mut terms) = (Vec::new(), Vec::new());
    for row in &found {
        let (id, key) = (row.task_id(0)?, row::key_or_none(row, 1)?);
        terms.extend(Terms::read(row, 1, key.as_ref())?.each().map(|term| (term, id)));
        old.push(id);
    }
    if !old.is_empty() {
        db.execute(&HISTORY_REMOVE, params![ids(old)]).await?;
        search::remove(db, terms).await?;
    }
    Ok(found.len())
}

async fn run(pool: &Pool, sql: &Sql, given: Params) -> Fallible<usize> {
    Ok(usize::try_from(pool.execute(sql, given).await?).unwrap_or(usize::MAX))
}
