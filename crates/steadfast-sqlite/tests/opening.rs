//! Files that cannot be used are refused with their name and what to do.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says so by panicking")]

mod common;

use common::{batch, block_on, file, open, refusal};
use std::path::Path;
use steadfast_core::Store;
use steadfast_sqlite::{Options, SqliteStore, rusqlite};

fn check(path: &Path, expected: &str) {
    let text = refusal(SqliteStore::open(path, Options::default()));
    assert!(text.contains(&path.display().to_string()), "{text}");
    assert!(text.contains(expected), "{text}");
}

#[test]
fn a_file_that_is_no_database_is_refused_and_left_alone() {
    let (_folder, path) = file();
    let text = "a letter to my aunt, long enough to be taken for something else\n".repeat(20);
    std::fs::write(&path, &text).unwrap();
    check(&path, "it is not a SQLite database; name another file");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn a_folder_that_is_not_there_is_refused() {
    let (folder, _) = file();
    check(&folder.path().join("nowhere/app.db"), "create its folder and allow writing in it");
}

#[test]
fn a_folder_that_is_a_file_is_refused() {
    let (folder, path) = file();
    std::fs::write(&path, "").unwrap();
    check(&folder.path().join("app.db/app.db"), "it cannot be opened");
}

#[test]
fn a_folder_in_place_of_the_file_is_refused() {
    let (folder, _) = file();
    check(folder.path(), "it cannot be opened");
}

#[test]
fn a_file_without_write_permission_is_refused() {
    let (_folder, path) = file();
    drop(open(&path));
    let mut permissions = std::fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&path, permissions).unwrap();
    // Whoever may write everything anyway has nothing to be refused.
    if std::fs::OpenOptions::new().append(true).open(&path).is_err() {
        check(&path, "it cannot be written; allow writing to the file and its folder");
    }
}

#[test]
fn a_database_in_memory_is_refused() {
    for path in ["", ":memory:"] {
        check(Path::new(path), "name a file, or use the memory store");
    }
}

#[test]
fn a_schema_of_a_later_build_is_refused_and_left_alone() {
    let (_folder, path) = file();
    drop(open(&path));
    let mine = rusqlite::Connection::open(&path).unwrap();
    mine.execute("update steadfast_schema set version = 99", []).unwrap();
    check(&path, "a later steadfast wrote it (schema 99, known 1); upgrade this program");
    let version: i64 = mine.query_row("select version from steadfast_schema", [], |row| row.get(0)).unwrap();
    assert_eq!(version, 99);
}

#[test]
fn a_file_with_tables_of_its_owner_is_shared() {
    let (_folder, path) = file();
    let mine = rusqlite::Connection::open(&path).unwrap();
    mine.execute_batch("create table task (id integer primary key); pragma user_version = 7;").unwrap();
    let store = open(&path);
    block_on(store.add(batch(1))).unwrap();
    let version: i64 = mine.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    assert_eq!(version, 7, "the owner's version is the owner's");
}
