//! What only a store on SQLite can be asked. Transactions of callers are plain functions there: nobody can drop one
//! half-way.

use crate::fault::polled::polled;
use crate::fault::scene::{Call, new};
use std::sync::Arc;
use steadfast::{BoxError, Engine, Outcome, Run, sqlite};
use steadfast_sqlite::{Options, SqliteStore};

pub(crate) fn all() -> Vec<Call> {
    Vec::new()
}

/// Adds tasks with these keys together, and does not wait. Says whether it was faster.
pub(crate) async fn add_and_commit(engine: &Engine, keys: &[String], times: usize) -> bool {
    let added = polled(engine.add_many(keys.iter().map(|key| new().key(key))), times).await;
    // Whoever is next in line hears of what became of those before.
    engine.add(new()).await.expect("the next call");
    added.is_some_and(|added| added.is_ok())
}

/// The next call of somebody else.
pub(crate) async fn next(engine: &Engine) -> Result<(), BoxError> {
    Ok(engine.now().await.map(drop)?)
}

/// Leaves a row beside the tasks, committed together with the end of the run.
pub(crate) async fn pay(run: &Run) -> Result<Outcome, BoxError> {
    let task = run.task().id.to_string().replace('-', "");
    tokio::task::yield_now().await;
    Ok(sqlite::effects(move |db| {
        db.execute("insert into trial_effect values (?1)", [task])?;
        Ok(Outcome::Done)
    }))
}

#[expect(clippy::unused_async, reason = "others connect")]
pub(crate) async fn open(url: &str) -> Arc<SqliteStore> {
    let path = url.strip_prefix("sqlite:").expect("a file");
    Arc::new(SqliteStore::open(path, Options::default()).expect("the store opens"))
}
