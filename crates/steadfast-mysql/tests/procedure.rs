//! Tasks added by the stored procedure, as programs in other languages do.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says so by panicking")]

mod common;

use common::{Tables, connect, grab, worker};
use std::time::Duration;
use steadfast_core::{Bucket, Filter, Key, Kind, Policy, Priority, Status, Store, TaskId};
use steadfast_mysql::MySqlStore;
use steadfast_mysql::mysql_async::prelude::Queryable;
use steadfast_mysql::mysql_async::{Conn, Error};
use uuid::Uuid;

/// Calls the procedure with these words.
async fn add(mine: &mut Conn, tables: &Tables, words: &str) -> Result<TaskId, String> {
    let said = |error: Error| match error {
        Error::Server(error) => error.message,
        other => panic!("{other:?}"),
    };
    mine.query_drop(format!("call {}add({words}, @id)", tables.prefix)).await.map_err(said)?;
    let id: Vec<u8> = mine.query_first("select @id").await.unwrap().unwrap();
    Ok(TaskId::from_uuid(Uuid::from_slice(&id).unwrap()))
}

async fn declare(store: &MySqlStore, kind: &str, bucket: &str, priority: i64) {
    let mut policy = Policy::default();
    policy.bucket = Bucket::new(bucket).unwrap();
    policy.priority = Priority::new(priority).unwrap();
    policy.key_window = Duration::from_millis(1500);
    store.declare(worker(1), 1, vec![(Kind::new(kind).unwrap(), policy)]).await.unwrap();
}

#[tokio::test]
async fn the_procedure_adds_what_a_worker_can_run() {
    let tables = Tables::new();
    let (store, mut mine) = (tables.open().await, connect().await);
    let options = r#"'{"context": {"trace": "1"}, "search1": "é ", "version": 3}'"#;
    let id = add(&mut mine, &tables, &format!(r#"'mail', '{{"to": "ada"}}', {options}"#)).await;
    let task = grab(&store, worker(1), 9).await.unwrap().remove(0);
    assert_eq!(Ok(task.id), id);
    assert_eq!(task.id.uuid().get_version_num(), 7);
    let payload = task.payload.clone().unwrap();
    assert_eq!((payload.format.json, payload.format.version), (true, 3));
    assert_eq!(&*payload.bytes, br#"{"to": "ada"}"#);
    assert_eq!(task.context["trace"], "1");
    let filter = Filter { search1: Some("é ".into()), ..Filter::default() };
    assert_eq!(store.find(filter, None, 9).await.unwrap().tasks.len(), 1);
}

#[tokio::test]
async fn the_procedure_follows_the_kinds_policy() {
    let tables = Tables::new();
    let (store, mut mine) = (tables.open().await, connect().await);
    declare(&store, "mail", "west", 3).await;
    declare(&store, "mail.*", "bulk", 8).await;
    for (words, bucket, priority) in [
        ("'mail', null, null", "west", 3),
        ("'mail|VIP', null, null", "west", 3),
        ("'mail.news', null, null", "bulk", 8),
        ("'pay', null, null", "default", 5),
        (r#"'mail', null, '{"bucket": "east", "priority": 0}'"#, "east", 0),
    ] {
        let task = store.get(add(&mut mine, &tables, words).await.unwrap()).await.unwrap().unwrap();
        assert_eq!((task.bucket.as_str(), task.priority.get()), (bucket, priority), "{words}");
    }
    add(&mut mine, &tables, r#"'mail', null, '{"key": "a"}'"#).await.unwrap();
    let sql = format!("select key_window from {}task where `key` = 'a'", tables.prefix);
    assert_eq!(mine.query_first(sql).await.unwrap(), Some(1_500_000));
}

#[tokio::test]
async fn the_procedure_knows_keys_times_and_serial_keys() {
    let tables = Tables::new();
    let (store, mut mine) = (tables.open().await, connect().await);
    let first = add(&mut mine, &tables, r#"'mail', null, '{"key": "a"}'"#).await.unwrap();
    assert_eq!(add(&mut mine, &tables, r#"'mail', null, '{"key": "a"}'"#).await, Ok(first));
    let own = add(&mut mine, &tables, r#"'mail', null, '{"own_id": "a"}'"#).await.unwrap();
    assert_ne!(own, first);
    assert_eq!(store.look_up(Key::id("a")).await.unwrap(), Some(own));
    for (options, status) in [
        (r#"{"delay_s": 3600}"#, Status::Waiting),
        (r#"{"at_us": 1000000}"#, Status::Ready),
        (r#"{"serial": "one"}"#, Status::Held),
    ] {
        let id = add(&mut mine, &tables, &format!("'mail', null, '{options}'")).await.unwrap();
        assert_eq!(store.get(id).await.unwrap().unwrap().status, status, "{options}");
    }
}

#[tokio::test]
async fn the_procedure_refuses_what_no_store_could_keep() {
    let tables = Tables::new();
    let (_store, mut mine) = (tables.open().await, connect().await);
    for (words, expected) in [
        ("null, null, null", "kind is missing; name it"),
        ("'', null, null", "kind is empty; give it at least one character"),
        ("'a\nb', null, null", "kind holds a control character; remove it"),
        ("'a', 'no json', null", "payload is no JSON; pass JSON, or set bytes to true"),
        ("'a', null, '{'", "options are no JSON; pass an object or null"),
        (r#"'a', null, '{"serial": ""}'"#, "a text is empty; give it at least one character"),
        (r#"'a', null, '{"priority": 10}'"#, "priority 10 is out of range; use 0 (most urgent) to 9"),
        (r#"'a', null, '{"at_us": -1}'"#, "time is out of range; use one from 1970 to 9999"),
        (
            r#"'a', null, '{"key": "b", "own_id": "c"}'"#,
            "a task has either its own id or a key, not both; drop one",
        ),
    ] {
        assert_eq!(add(&mut mine, &tables, words).await, Err(expected.to_owned()));
    }
}
