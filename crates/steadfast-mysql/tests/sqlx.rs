//! Tasks added in a transaction of sqlx.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says so by panicking")]

mod common;

use common::{Tables, grab, run, task, tasks, url, worker};
use sqlx_core::connection::Connection;
use sqlx_core::executor::Executor;
use sqlx_mysql::MySqlConnection;
use std::collections::BTreeMap;
use std::time::Duration;
use steadfast_core::{Key, NewTask, Payload, Repeat, Store, StoreError, When};

async fn mine() -> MySqlConnection {
    MySqlConnection::connect(&url()).await.unwrap()
}

/// A task with everything that can be said of one.
fn full() -> NewTask {
    NewTask {
        key: Some(Key::id("order 7")),
        serial: Some("account 1".into()),
        search1: Some("a".into()),
        search2: Some("é ".into()),
        subkind: Some("label".into()),
        step: Some("first".into()),
        context: BTreeMap::from([("trace".into(), "1".into())]),
        payload: Payload::bytes((0..=u8::MAX).collect::<Vec<u8>>()),
        when: When::After(Duration::from_secs(60)),
        key_window: Duration::from_secs(24 * 3600),
        ..task()
    }
}

#[tokio::test]
async fn tasks_commit_and_roll_back_with_the_callers_transaction() {
    let tables = Tables::new();
    let (store, mut mine) = (tables.open().await, mine().await);
    let mut tx = mine.begin().await.unwrap();
    let (added, bell) = store.add_in_sqlx(&mut tx, tasks(40)).await.unwrap();
    assert!(added.iter().all(|added| added.fresh));
    assert!(grab(&store, worker(1), 100).await.unwrap().is_empty(), "nobody sees them before");
    tx.commit().await.unwrap();
    bell.ring();
    assert_eq!(grab(&store, worker(1), 100).await.unwrap().len(), 40);
    let mut tx = mine.begin().await.unwrap();
    let _ = store.add_in_sqlx(&mut tx, vec![task()]).await.unwrap();
    tx.rollback().await.unwrap();
    assert!(grab(&store, worker(1), 100).await.unwrap().is_empty());
}

#[tokio::test]
async fn nothing_is_lost_on_the_way_and_a_repeat_says_the_first_task() {
    let tables = Tables::new();
    let (store, mut mine) = (tables.open().await, mine().await);
    let wanted = full();
    let mut tx = mine.begin().await.unwrap();
    let (first, _bell) = store.add_in_sqlx(&mut tx, vec![wanted.clone()]).await.unwrap();
    let (again, _bell) = store.add_in_sqlx(&mut tx, vec![NewTask { id: task().id, ..full() }]).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!((again[0].id, again[0].fresh), (first[0].id, false));
    let seen = store.get(wanted.id).await.unwrap().unwrap();
    assert_eq!(seen.payload.as_ref(), Some(&wanted.payload));
    assert_eq!(
        (seen.key, seen.serial, seen.search1, seen.search2, seen.subkind, seen.step, seen.context),
        (
            wanted.key,
            wanted.serial,
            wanted.search1,
            wanted.search2,
            wanted.subkind,
            wanted.step,
            wanted.context
        )
    );
    assert_eq!(seen.due_at.since(seen.created_at), Duration::from_secs(60));
}

#[tokio::test]
async fn a_transaction_of_sqlx_replaces_a_repeat_or_is_refused_it_and_goes_on() {
    let tables = Tables::new();
    let (store, mut mine) = (tables.open().await, mine().await);
    let keyed = |on_repeat, payload: &'static [u8]| NewTask {
        key: Some(Key::key("a")),
        on_repeat,
        payload: Payload::bytes(payload),
        ..task()
    };
    let mut tx = mine.begin().await.unwrap();
    let first = store.add_in_sqlx(&mut tx, vec![keyed(Repeat::Replace, b"old")]).await.unwrap().0[0];
    let second = store.add_in_sqlx(&mut tx, vec![keyed(Repeat::Replace, b"new")]).await.unwrap().0[0];
    assert!(first.fresh && second.replaced && first.id == second.id);
    let refused = store.add_in_sqlx(&mut tx, vec![task(), keyed(Repeat::Refuse, b"not")]).await.unwrap_err();
    assert_eq!(refused.code(), "key-used");
    tx.commit().await.unwrap();
    let grabbed = grab(&store, worker(1), 100).await.unwrap();
    assert_eq!(grabbed.len(), 1, "of what was refused nothing is left");
    assert_eq!(grabbed[0].payload.as_ref().unwrap().bytes.as_ref(), b"new");
}

#[tokio::test]
async fn what_goes_wrong_is_sorted_as_on_our_own_connections() {
    let tables = Tables::new();
    let (store, mut mine, mut other) = (tables.open().await, mine().await, mine().await);
    let keyed = || NewTask { key: Some(Key::key("a")), ..task() };
    let mut first = mine.begin().await.unwrap();
    let _ = store.add_in_sqlx(&mut first, vec![keyed()]).await.unwrap();
    other.execute("set innodb_lock_wait_timeout = 1").await.unwrap();
    let mut second = other.begin().await.unwrap();
    let error = store.add_in_sqlx(&mut second, vec![keyed()]).await.unwrap_err();
    assert!(matches!(error, StoreError::Busy(_)), "somebody else has the key: {error:?}");
    second.rollback().await.unwrap();
    first.rollback().await.unwrap();
    let id: u64 =
        sqlx_core::query_scalar::query_scalar("select connection_id()").fetch_one(&mut mine).await.unwrap();
    let mut gone = mine.begin().await.unwrap();
    run(&format!("kill {id}")).await;
    let error = store.add_in_sqlx(&mut gone, vec![task()]).await.unwrap_err();
    assert!(matches!(error, StoreError::Down(_)), "{error:?}");
}
