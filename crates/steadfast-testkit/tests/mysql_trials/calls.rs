//! What only a store on MariaDB can be asked: transactions that carry a caller's statements.

use crate::fault::polled::polled;
use crate::fault::scene::{Call, new, number};
use std::sync::Arc;
use std::time::Duration;
use steadfast::{BoxError, Builder, Engine, Outcome, Run, StoreError};
use steadfast_mysql::mysql_async::prelude::Queryable;
use steadfast_mysql::mysql_async::{Conn, Row, TxOpts};
use steadfast_mysql::{Begun, MySqlStore, Options};

pub(crate) fn all() -> Vec<Call> {
    vec![
        Call::new("Begun::add and commit", |on| async move {
            let tasks = vec![on.engine.prepare(new()).await?, on.engine.prepare(new().key(number())).await?];
            let mut tx = on.engine.store::<MySqlStore>()?.begin().await?;
            tx.conn().query::<Row, _>("select * from trial_effect for update").await?;
            tx.add(tasks).await?;
            Ok(tx.commit().await?)
        }),
        Call::new("Begun::add and rollback", |on| async move {
            let task = on.engine.prepare(new()).await?;
            let mut tx = on.engine.store::<MySqlStore>()?.begin().await?;
            tx.add(vec![task]).await?;
            Ok(tx.rollback().await?)
        }),
        Call::new("MySqlStore::add_in", |on| async move {
            let mut conn = Conn::from_url(&on.url).await?;
            let task = on.engine.prepare(new()).await?;
            let mut tx = conn.start_transaction(TxOpts::default()).await?;
            let (_, bell) = on.engine.store::<MySqlStore>()?.add_in(&mut tx, vec![task]).await?;
            tx.commit().await?;
            bell.ring();
            Ok(())
        }),
    ]
}

/// Adds tasks with these keys in a transaction, does not wait for the add, and commits. Says whether it was faster.
pub(crate) async fn add_and_commit(engine: &Engine, keys: &[String], times: usize) -> bool {
    let mut tasks = Vec::new();
    for key in keys {
        tasks.push(engine.prepare(new().key(key)).await.expect("a task"));
    }
    let mut tx = engine.store::<MySqlStore>().expect("its type").begin().await.expect("it begins");
    let added = polled(tx.add(tasks), times).await;
    let committed = tx.commit().await;
    added.is_some_and(|added| added.and(committed).is_ok())
}

/// The next call of somebody else.
pub(crate) async fn next(engine: &Engine) -> Result<(), BoxError> {
    let mut tx = engine.store::<MySqlStore>()?.begin().await?;
    tx.conn().query_drop("select 1").await?;
    Ok(tx.commit().await?)
}

/// Leaves a row beside the tasks, committed together with the end of the run.
pub(crate) async fn pay(run: &Run) -> Result<Outcome, BoxError> {
    pay_slowly(run, Duration::ZERO).await
}

/// The same, and holds its transaction for so long.
pub(crate) async fn pay_slowly(run: &Run, time: Duration) -> Result<Outcome, BoxError> {
    let task = run.task().id.to_string().replace('-', "");
    let mut tx = run.store::<MySqlStore>()?.begin().await?;
    tx.conn().exec_drop("insert into trial_effect values (?)", (task,)).await?;
    if !time.is_zero() {
        tokio::time::sleep(time).await;
    }
    Ok(tx.finish(Outcome::Done))
}

/// A transaction that carries a caller's statements.
pub(crate) async fn begin(engine: &Engine) -> Result<Begun, StoreError> {
    engine.store::<MySqlStore>().expect("its type").begin().await
}

/// A store with few connections.
pub(crate) async fn with_connections(url: &str, connections_max: usize) -> Builder {
    let mut options = Options::default();
    options.connections_max = connections_max;
    let store = Arc::new(MySqlStore::open(url, options).await.expect("the store opens"));
    Builder::on(store.clone(), store)
}

pub(crate) async fn open(url: &str) -> Arc<MySqlStore> {
    Arc::new(MySqlStore::open(url, Options::default()).await.expect("the store opens"))
}
