//! Short words for the tests of this crate.
#![allow(dead_code, unused_imports, reason = "each test file uses some of them")]

use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use steadfast_core::seam::{Future, Register, Store};
use steadfast_core::{Offer, Outcome, WorkerId};
use steadfast_postgres::tokio_postgres::{Client, NoTls};
use steadfast_postgres::{Options, PgStore};
use steadfast_testkit::scenarios::Home;
pub(crate) use steadfast_testkit::words::*;
use steadfast_testkit::{Ground, Ledger, TestClock};

/// Where the tests' server is.
pub(crate) fn url() -> String {
    std::env::var("STEADFAST_POSTGRES").unwrap_or_else(|_| {
        panic!("these tests need a PostgreSQL server: run `make services` and set STEADFAST_POSTGRES to what it says")
    })
}

/// The same with all statements of a session counted.
pub(crate) fn tracked_url() -> String {
    let joint = if url().contains('?') { '&' } else { '?' };
    format!("{}{joint}options=-c%20pg_stat_statements.track%3Dtop", url())
}

/// How long the lease is of a worker that is registered here.
pub(crate) const LEASE: Duration = Duration::from_secs(15);

/// A worker starts.
pub(crate) async fn register(store: &PgStore, worker: WorkerId) {
    let (name, offer) = ("one".to_owned(), Offer::default());
    store.register(Register { worker, name, build: 0, offer, lease: LEASE }).await.unwrap();
}

/// A schema for one test, dropped after it.
pub(crate) struct Schema {
    pub(crate) name: String,
}

impl Schema {
    pub(crate) fn new() -> Self {
        let n = number();
        Self { name: format!("steadfast_test_{}_{n}", std::process::id()) }
    }

    pub(crate) fn options(&self) -> Options {
        let mut options = Options::default();
        options.schema.clone_from(&self.name);
        options.pooled = Some(false);
        options
    }

    pub(crate) async fn open(&self) -> PgStore {
        PgStore::open(&url(), self.options()).await.unwrap()
    }
}

impl Drop for Schema {
    fn drop(&mut self) {
        let sql = format!("drop schema if exists {} cascade", self.name);
        let dropping =
            std::thread::spawn(move || block_on(async { connect().await.batch_execute(&sql).await }));
        dropping.join().unwrap().unwrap();
    }
}

/// Schemas that cases of the suite have done with. Making one takes a hundred times as long as emptying it.
static USED: Mutex<Vec<Schema>> = Mutex::new(Vec::new());

/// A schema that goes back to the used ones.
struct Borrowed(Option<Schema>);

impl Drop for Borrowed {
    fn drop(&mut self) {
        USED.lock().unwrap().extend(self.0.take());
    }
}

async fn borrow() -> Borrowed {
    let used = USED.lock().unwrap().pop();
    let Some(schema) = used else { return Borrowed(Some(Schema::new())) };
    let tables = [
        "task",
        "history",
        "search",
        "key",
        "worker",
        "recall",
        "receipt",
        "kind",
        "paused",
        "cluster_limit",
    ];
    let empty: String = tables.map(|table| format!("delete from {}.{table};", schema.name)).concat();
    let empty = format!("{empty} drop table if exists {}.ledger", schema.name);
    connect().await.batch_execute(&empty).await.unwrap();
    Borrowed(Some(schema))
}

/// Runs the shared suite over this URL.
pub(crate) fn suite(url: String, pooled: bool) -> ExitCode {
    let code = steadfast_testkit::suite::main("postgres", move || {
        let url = url.clone();
        Box::pin(async move { ground(&url, pooled).await })
    });
    USED.lock().unwrap().clear();
    code
}

/// Runs the scenarios: each engine has connections of its own to one schema.
pub(crate) fn scenarios() -> ExitCode {
    let code = steadfast_testkit::scenarios::main(|| Box::pin(home()));
    USED.lock().unwrap().clear();
    code
}

async fn home() -> Home {
    let schema = borrow().await;
    let options = schema.0.as_ref().unwrap().options();
    let store = PgStore::open(&url(), options.clone()).await.expect("a store");
    let table = Table::new(store.clone(), schema.0.as_ref().unwrap()).await;
    // Effects belong to the store that made them, so the first engine gets the table's.
    let first = Mutex::new(Some(Arc::new(store)));
    let open = move || -> Future<_> {
        let (first, options) = (first.lock().unwrap().take(), options.clone());
        Box::pin(async move {
            match first {
                Some(store) => store,
                None => Arc::new(PgStore::open(&url(), options).await.expect("a store")),
            }
        })
    };
    Home::new(open, Arc::new(table)).keeping(schema)
}

async fn ground(url: &str, pooled: bool) -> Ground {
    let (clock, schema) = (TestClock::new(), borrow().await);
    let mut options = schema.0.as_ref().unwrap().options();
    options.clock = Some(clock.clone());
    options.pooled = Some(pooled);
    let store = PgStore::open(url, options).await.expect("a store");
    let table = Table::new(store.clone(), schema.0.as_ref().unwrap()).await;
    Ground::new(Arc::new(store), clock, Arc::new(table)).keeping(schema)
}

/// A table in the same schema.
struct Table {
    store: PgStore,
    name: String,
}

impl Table {
    async fn new(store: PgStore, schema: &Schema) -> Self {
        let name = format!("{}.ledger", schema.name);
        let create = format!("create table if not exists {name} (n int)");
        connect().await.batch_execute(&create).await.unwrap();
        Self { store, name }
    }
}

impl Ledger for Table {
    fn effects(&self, says: Result<Outcome, String>) -> Future<Outcome> {
        let (store, insert) = (self.store.clone(), format!("insert into {} values (1)", self.name));
        Box::pin(async move {
            let tx = store.begin().await.unwrap();
            tx.client().batch_execute(&insert).await.unwrap();
            let outcome = match says {
                Ok(outcome) => outcome,
                Err(why) => {
                    // A handler that goes on after a failed statement has a transaction that cannot commit.
                    let failed = format!("do $$ begin raise exception '{why}'; end $$");
                    tx.client().batch_execute(&failed).await.unwrap_err();
                    Outcome::Done
                }
            };
            tx.finish(outcome)
        })
    }

    fn rows(&self) -> Future<usize> {
        let count = format!("select count(*) from {}", self.name);
        Box::pin(async move {
            let rows: i64 = connect().await.query_one(&count, &[]).await.unwrap().get(0);
            usize::try_from(rows).unwrap()
        })
    }
}

/// A connection of the test's own.
pub(crate) async fn connect() -> Client {
    let (client, connection) = steadfast_postgres::tokio_postgres::connect(&url(), NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}
