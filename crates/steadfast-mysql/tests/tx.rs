//! Tasks added in a caller's own transaction, from Rust.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says so by panicking")]

mod common;

use common::{Tables, connect, grab, run, task, tasks, worker};
use std::time::Duration;
use steadfast_core::{Key, NewTask, Payload, Refusal, Repeat, Store, StoreError};
use steadfast_mysql::mysql_async::prelude::Queryable;
use steadfast_mysql::mysql_async::{Conn, Transaction, TxOpts};

async fn begin(conn: &mut Conn) -> Transaction<'_> {
    conn.start_transaction(TxOpts::default()).await.unwrap()
}

#[tokio::test]
async fn tasks_exist_when_the_callers_transaction_commits() {
    let tables = Tables::new();
    let (store, mut mine) = (tables.open().await, connect().await);
    let mut tx = begin(&mut mine).await;
    let (added, bell) = store.add_in(&mut tx, tasks(40)).await.unwrap();
    assert_eq!(added.len(), 40);
    assert!(grab(&store, worker(1), 100).await.unwrap().is_empty(), "nobody sees them before");
    tx.commit().await.unwrap();
    bell.ring();
    assert_eq!(grab(&store, worker(1), 100).await.unwrap().len(), 40);
}

#[tokio::test]
async fn tasks_never_were_when_the_callers_transaction_rolls_back() {
    let tables = Tables::new();
    let (store, mut mine) = (tables.open().await, connect().await);
    let mut tx = begin(&mut mine).await;
    let keyed = NewTask { key: Some(Key::key("a")), ..task() };
    let _ = store.add_in(&mut tx, vec![keyed, task()]).await.unwrap();
    tx.rollback().await.unwrap();
    assert!(grab(&store, worker(1), 100).await.unwrap().is_empty());
    assert_eq!(store.look_up(Key::key("a")).await.unwrap(), None);
}

#[tokio::test]
async fn an_add_that_fails_leaves_the_callers_transaction_as_it_was() {
    let tables = Tables::new();
    let (store, mut mine) = (tables.open().await, connect().await);
    let mut tx = begin(&mut mine).await;
    let _ = store.add_in(&mut tx, tasks(1)).await.unwrap();
    let mut twice = tasks(40);
    twice[39].id = twice[0].id;
    assert!(store.add_in(&mut tx, twice).await.is_err());
    tx.commit().await.unwrap();
    assert_eq!(grab(&store, worker(1), 100).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_callers_transaction_replaces_a_repeat_or_is_refused_it() {
    let tables = Tables::new();
    let (store, mut mine) = (tables.open().await, connect().await);
    let keyed = |on_repeat, payload: &'static [u8]| NewTask {
        key: Some(Key::key("a")),
        on_repeat,
        payload: Payload::bytes(payload),
        ..task()
    };
    let mut tx = begin(&mut mine).await;
    let first = store.add_in(&mut tx, vec![keyed(Repeat::Replace, b"old")]).await.unwrap().0[0];
    let second = store.add_in(&mut tx, vec![keyed(Repeat::Replace, b"new")]).await.unwrap().0[0];
    assert!(first.fresh && second.replaced && first.id == second.id);
    let refused = store.add_in(&mut tx, vec![task(), keyed(Repeat::Refuse, b"not")]).await.unwrap_err();
    assert_eq!(refused.code(), "key-used");
    tx.commit().await.unwrap();
    let grabbed = grab(&store, worker(1), 100).await.unwrap();
    assert_eq!(grabbed.len(), 1, "of what was refused nothing is left");
    assert_eq!(grabbed[0].payload.as_ref().unwrap().bytes.as_ref(), b"new");
}

#[tokio::test]
async fn an_engine_transaction_carries_statements_and_tasks_together() {
    let tables = Tables::new();
    let (store, account) = (tables.open().await, format!("{}ledger", tables.prefix));
    run(&format!("create table {account} (cents bigint)")).await;
    let mut tx = store.begin().await.unwrap();
    tx.conn().query_drop(format!("insert into {account} values (5)")).await.unwrap();
    assert_eq!(tx.add(tasks(3)).await.unwrap().len(), 3);
    tx.commit().await.unwrap();
    assert_eq!(grab(&store, worker(1), 100).await.unwrap().len(), 3);
    let cents: Vec<i64> = connect().await.query(format!("select cents from {account}")).await.unwrap();
    assert_eq!(cents, [5]);
}

#[tokio::test]
async fn an_engine_transaction_that_is_dropped_or_rolled_back_leaves_nothing() {
    let tables = Tables::new();
    let store = tables.open().await;
    let mut dropped = store.begin().await.unwrap();
    dropped.add(tasks(1)).await.unwrap();
    drop(dropped);
    let mut back = store.begin().await.unwrap();
    back.add(tasks(1)).await.unwrap();
    let mut twice = tasks(2);
    twice[1].id = twice[0].id;
    assert!(back.add(twice).await.is_err(), "and the transaction can go on");
    back.add(tasks(1)).await.unwrap();
    back.rollback().await.unwrap();
    assert!(grab(&store, worker(1), 100).await.unwrap().is_empty());
}

/// As under a timeout: half of the tasks may be in the transaction by then.
#[tokio::test]
async fn a_transaction_whose_add_nobody_waited_for_is_refused_its_commit() {
    let tables = Tables::new();
    let (store, mut mine) = (tables.open().await, connect().await);
    let keyed = || vec![task(), NewTask { key: Some(Key::key("a")), ..task() }];
    let mut theirs = begin(&mut mine).await;
    let _ = store.add_in(&mut theirs, keyed()).await.unwrap();
    let mut tx = store.begin().await.unwrap();
    tx.add(tasks(1)).await.unwrap();
    assert!(tokio::time::timeout(Duration::ZERO, tx.add(keyed())).await.is_err(), "it waits for their key");
    let refused = |answer: Result<(), StoreError>| {
        assert!(matches!(answer, Err(StoreError::Refused(Refusal::Interrupted))), "{answer:?}");
    };
    refused(tx.add(tasks(1)).await.map(drop));
    refused(tx.commit().await);
    for _ in 0..20 {
        store.begin().await.unwrap().commit().await.unwrap();
    }
    theirs.rollback().await.unwrap();
    assert!(grab(&store, worker(1), 100).await.unwrap().is_empty());
}

#[tokio::test]
async fn what_a_caller_leaves_in_the_session_goes_with_the_transaction() {
    let tables = Tables::new();
    let store = tables.open().await;
    let mut tx = store.begin().await.unwrap();
    tx.conn().query_drop("set @left = 7, session sort_buffer_size = 65536").await.unwrap();
    tx.commit().await.unwrap();
    let mut tx = store.begin().await.unwrap();
    let left: Option<i64> = tx.conn().query_first("select @left").await.unwrap().unwrap();
    assert_eq!(left, None);
    let isolation: String = tx.conn().query_first("select @@tx_isolation").await.unwrap().unwrap();
    assert_eq!(isolation, "READ-COMMITTED", "and ours are there again");
}

#[tokio::test]
async fn a_transaction_that_stays_open_stands_in_nobodys_way() {
    let tables = Tables::new();
    let (store, mut mine) = (tables.open().await, connect().await);
    let mut tx = begin(&mut mine).await;
    let _ = store.add_in(&mut tx, tasks(2)).await.unwrap();
    store.add(common::batch(3)).await.unwrap();
    assert_eq!(grab(&store, worker(1), 2).await.unwrap().len(), 2);
    assert_eq!(grab(&store, worker(1), 9).await.unwrap().len(), 1);
    tx.commit().await.unwrap();
    assert_eq!(grab(&store, worker(1), 9).await.unwrap().len(), 2);
}
