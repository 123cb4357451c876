//! A store is ready for its first task when it is open.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says so by panicking")]

mod common;

use common::{Schema, connect, done, grab, tracked_url, worker};
use std::sync::Arc;
use steadfast::{Builder, New};
use steadfast_core::{Retention, Store};
use steadfast_postgres::PgStore;
use steadfast_postgres::tokio_postgres::Client;
use tokio::sync::Mutex;

/// One test at a time: where tables come and go, the server plans again what it has planned.
static ALONE: Mutex<()> = Mutex::const_new(());

/// The server, counting what it plans.
fn planning_url() -> String {
    format!("{}%20-c%20pg_stat_statements.track_planning%3Don", tracked_url())
}

/// A connection that can be asked for it.
async fn counting() -> Client {
    let mine = connect().await;
    mine.batch_execute("create extension if not exists pg_stat_statements schema public").await.unwrap();
    mine
}

/// How often a statement was planned, and how often it ran.
async fn counted(mine: &Client, schema: &Schema, head: &str) -> (i64, i64) {
    let sql = "select coalesce(sum(plans), 0)::bigint, coalesce(sum(calls), 0)::bigint \
               from public.pg_stat_statements where query like $1 and query like $2";
    let row = mine.query_one(sql, &[&format!("%{head}%"), &format!("%{}.%", schema.name)]).await.unwrap();
    (row.get(0), row.get(1))
}

#[tokio::test]
async fn what_a_calm_service_sends_is_planned_before_its_first_task() {
    let _alone = ALONE.lock().await;
    let (schema, mine) = (Schema::new(), counting().await);
    // A portal of one that only reads counts as a call of it, though nobody asks for its rows.
    let writes = [
        "Adds one task that has nothing to be looked up by: ready or waiting, or as running",
        "Takes what one demand under no limit asks for",
        "Ends runs that went well and leave nothing behind",
    ];
    let store = Arc::new(PgStore::open(&planning_url(), schema.options()).await.unwrap());
    for head in writes {
        assert_eq!(counted(&mine, &schema, head).await, (2, 0), "{head}");
    }
    let engine = Builder::on(store.clone(), store.clone()).start().await.unwrap();
    engine.add(New::kind("mail", "")).await.unwrap();
    let tasks = grab(&*store, worker(1), 1).await.unwrap();
    let ends = tasks.iter().map(|task| done(task, Retention::Delete)).collect();
    assert_eq!(store.finish(ends).await.unwrap().len(), 1);
    for head in writes {
        assert_eq!(counted(&mine, &schema, head).await, (2, 1), "{head}");
    }
}

#[tokio::test]
async fn a_store_of_one_connection_makes_no_more_ready() {
    let _alone = ALONE.lock().await;
    let (schema, mine) = (Schema::new(), counting().await);
    let mut options = schema.options();
    options.connections_max = 1;
    let _store = PgStore::open(&planning_url(), options).await.unwrap();
    assert_eq!(counted(&mine, &schema, "Adds one task that has nothing to be looked up by").await, (1, 0));
}
