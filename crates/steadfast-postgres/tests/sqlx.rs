//! Tasks added in a transaction of sqlx.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says so by panicking")]

mod common;

use common::{Schema, grab, task, url, worker};
use sqlx_core::connection::Connection;
use sqlx_postgres::PgConnection;
use std::collections::BTreeMap;
use std::time::Duration;
use steadfast_core::{Key, NewTask, Payload, Store, When};

async fn mine() -> PgConnection {
    PgConnection::connect(&url()).await.unwrap()
}

/// A task with everything that can be said of one.
fn full() -> NewTask {
    NewTask {
        key: Some(Key::id("order 7")),
        serial: Some("account 1".into()),
        search1: Some("a".into()),
        search2: Some("b".into()),
        subkind: Some("label".into()),
        step: Some("first".into()),
        context: BTreeMap::from([("trace".into(), "1".into())]),
        payload: Payload::json("mail", &vec![1, 2]).unwrap(),
        when: When::After(Duration::from_secs(60)),
        key_window: Duration::from_secs(24 * 3600),
        ..task()
    }
}

#[tokio::test]
async fn tasks_commit_and_roll_back_with_the_callers_transaction() {
    let schema = Schema::new();
    let (store, mut mine) = (schema.open().await, mine().await);
    let mut tx = mine.begin().await.unwrap();
    let (added, bell) = store.add_in_sqlx(&mut tx, vec![task(), task()]).await.unwrap();
    assert!(added.iter().all(|added| added.fresh));
    assert!(grab(&store, worker(1), 100).await.unwrap().is_empty(), "nobody sees them before");
    tx.commit().await.unwrap();
    bell.ring();
    assert_eq!(grab(&store, worker(1), 100).await.unwrap().len(), 2);
    let mut tx = mine.begin().await.unwrap();
    let _ = store.add_in_sqlx(&mut tx, vec![task()]).await.unwrap();
    tx.rollback().await.unwrap();
    assert!(grab(&store, worker(1), 100).await.unwrap().is_empty());
}

#[tokio::test]
async fn nothing_is_lost_on_the_way_and_a_repeat_says_the_first_task() {
    let schema = Schema::new();
    let (store, mut mine) = (schema.open().await, mine().await);
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
