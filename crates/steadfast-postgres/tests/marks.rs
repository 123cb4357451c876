//! Grabs begin where the last one got to, and miss nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says so by panicking")]

mod common;

use common::{Schema, batch, connect, done, grab, tracked_url, worker};
use std::collections::BTreeSet;
use std::time::Duration;
use steadfast_core::seam::{Cause, Finish};
use steadfast_core::{Policy, Retention, Store, Task, give_back};
use steadfast_postgres::PgStore;
use steadfast_postgres::tokio_postgres::Client;
use steadfast_testkit::TestClock;

/// Grabs and ends so many tasks, ten at a time; says what the grabs cost.
async fn work_off(store: &PgStore, mine: &Client, schema: &Schema, n: usize) -> i64 {
    let before = buffers(mine, schema).await;
    for _ in 0..n / 10 {
        let tasks = grab(store, worker(1), 10).await.unwrap();
        assert_eq!(tasks.len(), 10);
        let _ = store.finish(tasks.iter().map(|task| done(task, Retention::Delete)).collect()).await.unwrap();
    }
    buffers(mine, schema).await - before
}

/// What all grabs in a schema have looked into.
async fn buffers(mine: &Client, schema: &Schema) -> i64 {
    let sql = "select coalesce(sum(shared_blks_hit + shared_blks_read), 0)::bigint \
               from public.pg_stat_statements where query like $1";
    mine.query_one(sql, &[&format!("%{}.task%for update skip locked%", schema.name)]).await.unwrap().get(0)
}

/// Stores on one schema with tasks that became ready so long ago that marks lie behind them.
async fn stores(schema: &Schema, n: usize) -> (PgStore, PgStore) {
    let clock = TestClock::new();
    let mut options = schema.options();
    options.clock = Some(clock.clone());
    let open = async || PgStore::open(&tracked_url(), options.clone()).await.unwrap();
    let stores = (open().await, open().await);
    stores.0.add(batch(n)).await.unwrap();
    clock.pass(Duration::from_secs(1));
    stores
}

async fn put_back(store: &PgStore, tasks: &[Task]) {
    let back = |task: &Task| Finish {
        fence: task.fence().unwrap(),
        cause: Cause::Holder,
        change: give_back(task, &Policy::default(), false),
    };
    let _ = store.finish(tasks.iter().map(back).collect()).await.unwrap();
}

/// An old transaction keeps the server from forgetting any of them.
#[tokio::test]
async fn a_grab_costs_no_more_for_those_that_went_before_it() {
    let (schema, mine, old) = (Schema::new(), connect().await, connect().await);
    mine.batch_execute("create extension if not exists pg_stat_statements schema public").await.unwrap();
    let (store, _) = stores(&schema, 4000).await;
    old.batch_execute("begin isolation level repeatable read; select 1 from pg_class limit 1").await.unwrap();
    let first = work_off(&store, &mine, &schema, 500).await;
    work_off(&store, &mine, &schema, 3000).await;
    let last = work_off(&store, &mine, &schema, 500).await;
    // From the head each of these would walk over more than three thousand, and now and then one does. If all did, they
    // would look into more than twice as much.
    assert!(first > 0 && 2 * last < 3 * first, "{last} buffers for the last ones, {first} for the first");
}

#[tokio::test]
async fn what_another_process_puts_back_is_found_when_too_little_else_is_left() {
    let schema = Schema::new();
    let (store, other) = stores(&schema, 30).await;
    let taken = grab(&store, worker(1), 20).await.unwrap();
    put_back(&other, &taken[..5]).await;
    let rest = grab(&store, worker(1), 100).await.unwrap();
    let ids = |tasks: &[Task]| tasks.iter().map(|task| task.id).collect::<BTreeSet<_>>();
    assert_eq!(rest.len(), 15);
    assert!(ids(&rest).is_superset(&ids(&taken[..5])));
}

#[tokio::test]
async fn what_this_store_puts_back_is_the_next_again() {
    let schema = Schema::new();
    let (store, _) = stores(&schema, 30).await;
    let taken = grab(&store, worker(1), 10).await.unwrap();
    put_back(&store, &taken[..1]).await;
    assert_eq!(grab(&store, worker(1), 1).await.unwrap()[0].id, taken[0].id);
}
