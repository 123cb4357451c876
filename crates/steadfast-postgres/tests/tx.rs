//! Tasks added in a caller's own transaction, from Rust and by the SQL function.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says so by panicking")]

mod common;

use common::{Schema, connect, grab, task, tasks, worker};
use std::time::Duration;
use steadfast_core::{
    Bucket, Key, Kind, NewTask, Payload, Policy, Priority, Refusal, Repeat, Status, Store, StoreError, TaskId,
};
use steadfast_postgres::PgStore;
use steadfast_postgres::tokio_postgres::Client;
use uuid::Uuid;

#[tokio::test]
async fn tasks_exist_when_the_callers_transaction_commits() {
    let schema = Schema::new();
    let (store, mut mine) = (schema.open().await, connect().await);
    let tx = mine.transaction().await.unwrap();
    let (added, bell) = store.add_in(&tx, tasks(40)).await.unwrap();
    assert_eq!(added.len(), 40);
    assert!(grab(&store, worker(1), 100).await.unwrap().is_empty(), "nobody sees them before");
    tx.commit().await.unwrap();
    bell.ring();
    assert_eq!(grab(&store, worker(1), 100).await.unwrap().len(), 40);
}

#[tokio::test]
async fn tasks_never_were_when_the_callers_transaction_rolls_back() {
    let schema = Schema::new();
    let (store, mut mine) = (schema.open().await, connect().await);
    let tx = mine.transaction().await.unwrap();
    let keyed = NewTask { key: Some(Key::key("a")), ..task() };
    let _ = store.add_in(&tx, vec![keyed, task()]).await.unwrap();
    tx.rollback().await.unwrap();
    assert!(grab(&store, worker(1), 100).await.unwrap().is_empty());
    assert_eq!(store.look_up(Key::key("a")).await.unwrap(), None);
}

#[tokio::test]
async fn an_add_that_fails_leaves_the_callers_transaction_as_it_was() {
    let schema = Schema::new();
    let (store, mut mine) = (schema.open().await, connect().await);
    let tx = mine.transaction().await.unwrap();
    let _ = store.add_in(&tx, tasks(1)).await.unwrap();
    let mut twice = tasks(40);
    twice[39].id = twice[0].id;
    assert!(store.add_in(&tx, twice).await.is_err());
    tx.commit().await.unwrap();
    assert_eq!(grab(&store, worker(1), 100).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_callers_transaction_replaces_a_repeat_or_is_refused_it() {
    let schema = Schema::new();
    let (store, mut mine) = (schema.open().await, connect().await);
    let keyed = |on_repeat, payload: &'static [u8]| NewTask {
        key: Some(Key::key("a")),
        on_repeat,
        payload: Payload::bytes(payload),
        ..task()
    };
    let tx = mine.transaction().await.unwrap();
    let first = store.add_in(&tx, vec![keyed(Repeat::Replace, b"old")]).await.unwrap().0[0];
    let second = store.add_in(&tx, vec![keyed(Repeat::Replace, b"new")]).await.unwrap().0[0];
    assert!(first.fresh && second.replaced && first.id == second.id);
    let refused = store.add_in(&tx, vec![task(), keyed(Repeat::Refuse, b"not")]).await.unwrap_err();
    assert_eq!(refused.code(), "key-used");
    tx.commit().await.unwrap();
    let grabbed = grab(&store, worker(1), 100).await.unwrap();
    assert_eq!(grabbed.len(), 1, "of what was refused nothing is left");
    assert_eq!(grabbed[0].payload.as_ref().unwrap().bytes.as_ref(), b"new");
}

#[tokio::test]
async fn a_repeat_in_a_callers_transaction_is_told_the_first_task() {
    let schema = Schema::new();
    let (store, mut mine) = (schema.open().await, connect().await);
    let keyed = || NewTask { key: Some(Key::key("a")), key_window: Duration::from_secs(60), ..task() };
    let tx = mine.transaction().await.unwrap();
    let first = store.add_in(&tx, vec![keyed()]).await.unwrap().0[0];
    let (again, _bell) = store.add_in(&tx, vec![keyed(), task()]).await.unwrap();
    tx.commit().await.unwrap();
    assert!(first.fresh && !again[0].fresh && again[1].fresh);
    assert_eq!(again[0].id, first.id);
}

/// Calls the SQL function with these words.
async fn sql_add(mine: &Client, schema: &Schema, words: &str) -> Result<TaskId, String> {
    let row = mine.query_one(&format!("select {}.add({words})", schema.name), &[]).await;
    let said =
        |error: steadfast_postgres::tokio_postgres::Error| error.as_db_error().unwrap().message().to_owned();
    row.map(|row| TaskId::from_uuid(row.get::<_, Uuid>(0))).map_err(said)
}

async fn declare(store: &PgStore, kind: &str, bucket: &str, priority: i64) {
    let mut policy = Policy::default();
    policy.bucket = Bucket::new(bucket).unwrap();
    policy.priority = Priority::new(priority).unwrap();
    policy.key_window = Duration::from_millis(1500);
    store.declare(worker(1), 1, vec![(Kind::new(kind).unwrap(), policy)]).await.unwrap();
}

#[tokio::test]
async fn the_sql_function_adds_what_a_worker_can_run() {
    let schema = Schema::new();
    let (store, mine) = (schema.open().await, connect().await);
    let id = sql_add(
        &mine,
        &schema,
        r#"'mail', '{"to": "ada"}', context => '{"trace": "1"}', search1 => 's', version => 3"#,
    )
    .await;
    let task = grab(&store, worker(1), 9).await.unwrap().remove(0);
    assert_eq!(Ok(task.id), id);
    assert_eq!(task.id.uuid().get_version_num(), 7);
    let payload = task.payload.clone().unwrap();
    assert_eq!((payload.format.json, payload.format.version), (true, 3));
    assert_eq!(&*payload.bytes, br#"{"to": "ada"}"#);
    assert_eq!(task.context["trace"], "1");
    let filter = steadfast_core::Filter { search1: Some("s".into()), ..Default::default() };
    assert_eq!(store.find(filter, None, 9).await.unwrap().tasks.len(), 1);
}

#[tokio::test]
async fn the_sql_function_follows_the_kinds_policy() {
    let schema = Schema::new();
    let (store, mine) = (schema.open().await, connect().await);
    declare(&store, "mail", "west", 3).await;
    declare(&store, "mail.*", "bulk", 8).await;
    for (words, bucket, priority) in [
        ("'mail'", "west", 3),
        ("'mail|VIP'", "west", 3),
        ("'mail.news'", "bulk", 8),
        ("'pay'", "default", 5),
        ("'mail', bucket => 'east', priority => 0", "east", 0),
    ] {
        let task = store.get(sql_add(&mine, &schema, words).await.unwrap()).await.unwrap().unwrap();
        assert_eq!((task.bucket.as_str(), task.priority.get()), (bucket, priority), "{words}");
    }
    let id = sql_add(&mine, &schema, "'mail', key => 'a'").await.unwrap();
    let sql = format!("select key_window from {}.task where id = $1", schema.name);
    let window = mine.query_one(&sql, &[&id.uuid()]).await.unwrap();
    assert_eq!(window.get::<_, i64>(0), 1_500_000);
}

#[tokio::test]
async fn the_sql_function_knows_keys_times_and_serial_keys() {
    let schema = Schema::new();
    let (store, mine) = (schema.open().await, connect().await);
    let first = sql_add(&mine, &schema, "'mail', key => 'a'").await.unwrap();
    assert_eq!(sql_add(&mine, &schema, "'mail', key => 'a'").await, Ok(first));
    let own = sql_add(&mine, &schema, "'mail', own_id => 'a'").await.unwrap();
    assert_ne!(own, first);
    assert_eq!(store.look_up(Key::id("a")).await.unwrap(), Some(own));
    for (words, status) in [
        ("'mail', delay => '1 hour'", Status::Waiting),
        ("'mail', at => now() + interval '1 day'", Status::Waiting),
        ("'mail', at => '2001-01-01'", Status::Ready),
        ("'mail', serial => 'one'", Status::Held),
    ] {
        let id = sql_add(&mine, &schema, words).await.unwrap();
        assert_eq!(store.get(id).await.unwrap().unwrap().status, status, "{words}");
    }
}

#[tokio::test]
async fn the_sql_function_refuses_what_no_store_could_keep() {
    let schema = Schema::new();
    let (_store, mine) = (schema.open().await, connect().await);
    for (words, expected) in [
        ("null", "kind is missing; name it"),
        ("''", "kind is empty; give it at least one character"),
        ("repeat('x', 201)", "kind has over 200 bytes; shorten it"),
        ("E'a\\nb'", "kind holds a control character; remove it"),
        ("'a', serial => ''", "serial is empty; give it at least one character"),
        ("'a', priority => 10", "priority 10 is out of range; use 0 (most urgent) to 9"),
        ("'a', at => '1969-01-01'", "time is out of range; use one from 1970 to 9999"),
        ("'a', key => 'b', own_id => 'c'", "a task has either its own id or a key, not both; drop one"),
        ("'a', context => '[]'", "context is no object of texts under 16 KiB; make it one"),
    ] {
        assert_eq!(sql_add(&mine, &schema, words).await, Err(expected.to_owned()));
    }
}

#[tokio::test]
async fn an_engine_transaction_carries_statements_and_tasks_together() {
    let schema = Schema::new();
    let store = schema.open().await;
    let mut tx = store.begin().await.unwrap();
    let table = format!("create table {}.account (cents bigint)", schema.name);
    tx.client().batch_execute(&table).await.unwrap();
    tx.client().batch_execute(&format!("insert into {}.account values (5)", schema.name)).await.unwrap();
    assert_eq!(tx.add(tasks(3)).await.unwrap().len(), 3);
    tx.commit().await.unwrap();
    assert_eq!(grab(&store, worker(1), 100).await.unwrap().len(), 3);
    let rows =
        connect().await.query(&format!("select cents from {}.account", schema.name), &[]).await.unwrap();
    assert_eq!(rows.len(), 1);
}

#[tokio::test]
async fn an_engine_transaction_that_is_dropped_or_rolled_back_leaves_nothing() {
    let schema = Schema::new();
    let store = schema.open().await;
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
    let schema = Schema::new();
    let (store, mut mine) = (schema.open().await, connect().await);
    let keyed = || vec![task(), NewTask { key: Some(Key::key("a")), ..task() }];
    let theirs = mine.transaction().await.unwrap();
    let _ = store.add_in(&theirs, keyed()).await.unwrap();
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
    let schema = Schema::new();
    let store = schema.open().await;
    let tx = store.begin().await.unwrap();
    tx.client().batch_execute("set statement_timeout = 1234").await.unwrap();
    tx.commit().await.unwrap();
    let tx = store.begin().await.unwrap();
    let rows = tx.client().query("show statement_timeout", &[]).await.unwrap();
    assert_eq!(rows[0].get::<_, String>(0), "0");
}

#[tokio::test]
async fn a_role_that_may_only_call_the_function_adds_and_sees_nothing() {
    let schema = Schema::new();
    let store = schema.open().await;
    let (mine, name) = (connect().await, &schema.name);
    let role = format!("adder_{name}");
    let grant = format!(
        "create role {role}; grant usage on schema {name} to {role}; grant execute on function {name}.add to {role}"
    );
    mine.batch_execute(&grant).await.unwrap();
    mine.batch_execute(&format!("set role {role}")).await.unwrap();
    mine.batch_execute(&format!("select {name}.add('mail', '{{}}')")).await.unwrap();
    let refused = mine.batch_execute(&format!("select 1 from {name}.task")).await.unwrap_err();
    assert_eq!(refused.code().unwrap().code(), "42501");
    mine.batch_execute(&format!("reset role; drop owned by {role}; drop role {role}")).await.unwrap();
    assert_eq!(grab(&store, worker(1), 100).await.unwrap().len(), 1);
}
