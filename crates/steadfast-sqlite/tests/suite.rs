//! The shared suite on the SQLite store.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says so by panicking")]

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use steadfast_core::Outcome;
use steadfast_core::seam::Future;
use steadfast_sqlite::{Options, SqliteStore, effects, rusqlite};
use steadfast_testkit::{Ground, Ledger, TestClock, suite};

fn main() -> ExitCode {
    suite::main(|| {
        Box::pin(async {
            let clock = TestClock::new();
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("suite.db");
            let store = SqliteStore::open(&path, Options::with_clock(clock.clone())).expect("a store");
            Ground::new(Arc::new(store), clock, Arc::new(Table { path })).keeping(folder)
        })
    })
}

/// A table in the same file, made when it is first written to.
struct Table {
    path: PathBuf,
}

impl Ledger for Table {
    fn effects(&self, says: Result<Outcome, String>) -> Future<Outcome> {
        let effects = effects(move |db| {
            db.execute_batch("create table if not exists ledger (n integer); insert into ledger values (1)")?;
            Ok(says?)
        });
        Box::pin(std::future::ready(effects))
    }

    fn rows(&self) -> Future<usize> {
        let db = rusqlite::Connection::open(&self.path).expect("the file");
        let made = db.table_exists(None, "ledger").expect("an answer");
        let count = "select count(*) from ledger";
        let rows: i64 = if made { db.query_row(count, [], |row| row.get(0)).expect("a count") } else { 0 };
        Box::pin(std::future::ready(usize::try_from(rows).expect("a number")))
    }
}
