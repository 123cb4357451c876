//! The scenarios on SQLite: each engine has connections of its own to one file.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says so by panicking")]

#[path = "common/ledger.rs"]
mod ledger;

use ledger::Table;
use std::process::ExitCode;
use std::sync::Arc;
use steadfast_core::seam::Future;
use steadfast_sqlite::{Options, SqliteStore};
use steadfast_testkit::scenarios::{self, Home};

fn main() -> ExitCode {
    scenarios::main(|| {
        Box::pin(async {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("tasks.db");
            let file = path.clone();
            let open = move || -> Future<_> {
                let store = SqliteStore::open(&file, Options::default()).expect("a store");
                Box::pin(std::future::ready(Arc::new(store)))
            };
            Home::new(open, Arc::new(Table { path })).keeping(folder)
        })
    })
}
