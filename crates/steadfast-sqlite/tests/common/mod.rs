//! Short words for the tests of this crate.
#![allow(dead_code, unused_imports, reason = "each test file uses some of them")]

use std::path::PathBuf;
use steadfast_sqlite::{Options, SqliteStore};
pub(crate) use steadfast_testkit::words::*;
use tempfile::TempDir;

/// A folder for one test, and a file in it.
pub(crate) fn file() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.db");
    (folder, path)
}

pub(crate) fn open(path: &PathBuf) -> SqliteStore {
    SqliteStore::open(path, Options::default()).unwrap()
}
