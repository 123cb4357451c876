//! The shared suite on the SQLite store.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says so by panicking")]

#[path = "common/ledger.rs"]
mod ledger;

use ledger::Table;
use std::process::ExitCode;
use std::sync::Arc;
use steadfast_sqlite::{Options, SqliteStore};
use steadfast_testkit::{Ground, TestClock, suite};

fn main() -> ExitCode {
    suite::main("sqlite", || {
        Box::pin(async {
            let clock = TestClock::new();
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("suite.db");
            let store = SqliteStore::open(&path, Options::with_clock(clock.clone())).expect("a store");
            Ground::new(Arc::new(store), clock, Arc::new(Table { path })).keeping(folder)
        })
    })
}
