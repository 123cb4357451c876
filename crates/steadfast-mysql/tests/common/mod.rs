//! Short words for the tests of this crate.
#![allow(dead_code, unused_imports, reason = "each test file uses some of them")]

use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use steadfast_core::Outcome;
use steadfast_core::seam::Future;
use steadfast_mysql::mysql_async::prelude::Queryable;
use steadfast_mysql::mysql_async::{Conn, Opts};
use steadfast_mysql::{MySqlStore, Options};
use steadfast_testkit::scenarios::Home;
pub(crate) use steadfast_testkit::words::*;
use steadfast_testkit::{Ground, Ledger, TestClock};

/// Where the tests' server is.
pub(crate) fn url() -> String {
    std::env::var("STEADFAST_MYSQL").unwrap_or_else(|_| {
        panic!(
            "these tests need a MariaDB server: run `make services` and set STEADFAST_MYSQL to what it says"
        )
    })
}

/// Our tables.
const TABLES: [&str; 11] = [
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
    "ledger",
];

/// Tables for one test under a prefix of their own, dropped after it.
pub(crate) struct Tables {
    pub(crate) prefix: String,
}

impl Tables {
    pub(crate) fn new() -> Self {
        let n = number();
        Self { prefix: format!("test_{}_{n}_", std::process::id()) }
    }

    pub(crate) fn options(&self) -> Options {
        let mut options = Options::default();
        options.prefix.clone_from(&self.prefix);
        options
    }

    pub(crate) async fn open(&self) -> MySqlStore {
        MySqlStore::open(&url(), self.options()).await.unwrap()
    }

    fn each(&self, what: &str) -> String {
        TABLES.map(|table| format!("{what} {}{table};", self.prefix)).concat()
    }
}

impl Drop for Tables {
    fn drop(&mut self) {
        let prefix = &self.prefix;
        let rest = format!("drop table if exists {prefix}schema; drop procedure if exists {prefix}add");
        let drop = self.each("drop table if exists") + &rest;
        std::thread::spawn(move || block_on(async { run(&drop).await })).join().unwrap();
    }
}

/// Tables that cases of the suite have done with. Making them takes a hundred times as long as emptying them.
static USED: Mutex<Vec<Tables>> = Mutex::new(Vec::new());

/// Tables that go back to the used ones.
struct Borrowed(Option<Tables>);

impl Borrowed {
    fn tables(&self) -> &Tables {
        self.0.as_ref().unwrap()
    }
}

impl Drop for Borrowed {
    fn drop(&mut self) {
        USED.lock().unwrap().extend(self.0.take());
    }
}

async fn borrow() -> Borrowed {
    let used = USED.lock().unwrap().pop();
    let Some(tables) = used else { return Borrowed(Some(Tables::new())) };
    run(&tables.each("delete from")).await;
    Borrowed(Some(tables))
}

/// Runs the shared suite.
pub(crate) fn suite() -> ExitCode {
    let code = steadfast_testkit::suite::main("mysql", || Box::pin(ground()));
    USED.lock().unwrap().clear();
    code
}

/// Runs the scenarios: each engine has connections of its own to the same tables.
pub(crate) fn scenarios() -> ExitCode {
    let code = steadfast_testkit::scenarios::main(|| Box::pin(home()));
    USED.lock().unwrap().clear();
    code
}

async fn home() -> Home {
    let tables = borrow().await;
    let options = tables.tables().options();
    let store = MySqlStore::open(&url(), options.clone()).await.expect("a store");
    let table = Table::new(store.clone(), tables.tables()).await;
    // Effects belong to the store that made them, so the first engine gets the table's.
    let first = Mutex::new(Some(Arc::new(store)));
    let open = move || -> Future<_> {
        let (first, options) = (first.lock().unwrap().take(), options.clone());
        Box::pin(async move {
            match first {
                Some(store) => store,
                None => Arc::new(MySqlStore::open(&url(), options).await.expect("a store")),
            }
        })
    };
    Home::new(open, Arc::new(table)).keeping(tables)
}

async fn ground() -> Ground {
    let (clock, tables) = (TestClock::new(), borrow().await);
    let mut options = tables.tables().options();
    options.clock = Some(clock.clone());
    let store = MySqlStore::open(&url(), options).await.expect("a store");
    let table = Table::new(store.clone(), tables.tables()).await;
    Ground::new(Arc::new(store), clock, Arc::new(table)).keeping(tables)
}

/// A table of a user's own beside ours.
struct Table {
    store: MySqlStore,
    name: String,
}

impl Table {
    async fn new(store: MySqlStore, tables: &Tables) -> Self {
        let name = format!("{}ledger", tables.prefix);
        run(&format!("create table if not exists {name} (n int)")).await;
        Self { store, name }
    }
}

impl Ledger for Table {
    fn effects(&self, says: Result<Outcome, String>) -> Future<Outcome> {
        let (store, insert) = (self.store.clone(), format!("insert into {} values (1)", self.name));
        Box::pin(async move {
            let mut tx = store.begin().await.unwrap();
            tx.conn().query_drop(&insert).await.unwrap();
            match says {
                Ok(outcome) => tx.finish(outcome),
                Err(why) => {
                    // A session that is gone cannot commit.
                    let id = tx.conn().id();
                    run(&format!("kill {id} /* {why} */")).await;
                    tx.finish(Outcome::Done)
                }
            }
        })
    }

    fn rows(&self) -> Future<usize> {
        let count = format!("select count(*) from {}", self.name);
        Box::pin(async move { connect().await.query_first(&count).await.unwrap().unwrap() })
    }
}

/// A connection of the test's own.
pub(crate) async fn connect() -> Conn {
    Conn::new(Opts::from_url(&url()).unwrap()).await.unwrap()
}

/// Runs statements on a connection of the test's own.
pub(crate) async fn run(text: &str) {
    let mut conn = connect().await;
    conn.query_drop(text).await.unwrap();
    conn.disconnect().await.unwrap();
}
