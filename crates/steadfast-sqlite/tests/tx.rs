//! Tasks added in a caller's own transaction.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says so by panicking")]

mod common;

use common::{block_on, file, grab, open, refusal, tasks, worker};
use rusqlite::{Connection, TransactionBehavior};
use std::sync::mpsc;
use std::time::Duration;
use steadfast_core::seam::SystemClock;
use steadfast_core::{Clock, Hint, Hints, Key, NewTask, Payload, Repeat};
use steadfast_sqlite::{add_in, rusqlite};

#[test]
fn tasks_exist_when_the_callers_transaction_commits() {
    let (_folder, path) = file();
    let store = open(&path);
    let (sender, heard) = mpsc::channel();
    store.listen(Box::new(move |hint| sender.send(hint).is_ok()));
    let mut mine = Connection::open(&path).unwrap();
    let tx = mine.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
    tx.execute_batch("create table orders (id integer primary key)").unwrap();
    assert_eq!(add_in(&tx, tasks(40), SystemClock.now()).unwrap().len(), 40);
    tx.commit().unwrap();
    assert_eq!(heard.recv_timeout(Duration::from_secs(10)), Ok(Hint::LookAll), "workers hear of it");
    assert_eq!(block_on(grab(&store, worker(1), 100)).unwrap().len(), 40);
}

#[test]
fn tasks_never_were_when_the_callers_transaction_rolls_back() {
    let (_folder, path) = file();
    let store = open(&path);
    let mut mine = Connection::open(&path).unwrap();
    let tx = mine.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
    add_in(&tx, tasks(40), SystemClock.now()).unwrap();
    tx.rollback().unwrap();
    assert!(block_on(grab(&store, worker(1), 100)).unwrap().is_empty());
}

#[test]
fn an_add_that_fails_leaves_the_callers_transaction_as_it_was() {
    let (_folder, path) = file();
    let store = open(&path);
    let mut mine = Connection::open(&path).unwrap();
    let tx = mine.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
    add_in(&tx, tasks(1), SystemClock.now()).unwrap();
    let mut twice = tasks(40);
    twice[39].id = twice[0].id;
    assert!(add_in(&tx, twice, SystemClock.now()).is_err());
    tx.commit().unwrap();
    assert_eq!(block_on(grab(&store, worker(1), 100)).unwrap().len(), 1);
}

#[test]
fn a_callers_transaction_replaces_a_repeat_or_is_refused_it() {
    let (_folder, path) = file();
    let store = open(&path);
    let mut mine = Connection::open(&path).unwrap();
    let tx = mine.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
    let add = |mut new: Vec<NewTask>, on_repeat, payload: &'static [u8]| {
        let last = new.last_mut().unwrap();
        (last.key, last.on_repeat, last.payload) = (Some(Key::key("a")), on_repeat, Payload::bytes(payload));
        add_in(&tx, new, SystemClock.now())
    };
    let first = add(tasks(1), Repeat::Replace, b"old").unwrap()[0];
    let second = add(tasks(1), Repeat::Replace, b"new").unwrap()[0];
    assert!(first.fresh && second.replaced && first.id == second.id);
    assert_eq!(add(tasks(2), Repeat::Refuse, b"not").unwrap_err().code(), "key-used");
    tx.commit().unwrap();
    let grabbed = block_on(grab(&store, worker(1), 100)).unwrap();
    assert_eq!(grabbed.len(), 1, "of what was refused nothing is left");
    assert_eq!(grabbed[0].payload.as_ref().unwrap().bytes.as_ref(), b"new");
}

#[test]
fn a_transaction_that_does_not_hold_the_write_lock_is_refused() {
    let (_folder, path) = file();
    let _store = open(&path);
    let mut mine = Connection::open(&path).unwrap();
    let check = |mine: &Connection| {
        let text = refusal(add_in(mine, tasks(1), SystemClock.now()));
        assert!(text.contains("begin it as immediate"), "{text}");
    };
    check(&mine);
    let tx = mine.transaction_with_behavior(TransactionBehavior::Deferred).unwrap();
    check(&tx);
}

#[test]
fn a_file_without_our_tables_is_refused() {
    let (_folder, path) = file();
    let mut mine = Connection::open(&path).unwrap();
    let tx = mine.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
    let text = refusal(add_in(&tx, tasks(1), SystemClock.now()));
    assert!(text.contains("open it with SqliteStore::open once"), "{text}");
}
