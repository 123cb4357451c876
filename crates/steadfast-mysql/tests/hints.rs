//! Word of other stores, by asking.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says so by panicking")]

mod common;

use common::{Tables, batch, grab, run, task, worker};
use std::time::Duration;
use steadfast_core::seam::{Add, Eject, Register};
use steadfast_core::{Bucket, Guard, Hint, Hints, NewTask, Offer, Store, WorkerId};
use steadfast_mysql::MySqlStore;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

fn listening(store: &MySqlStore) -> UnboundedReceiver<Hint> {
    let (sender, heard) = unbounded_channel();
    store.listen(Box::new(move |hint| sender.send(hint).is_ok()));
    heard
}

async fn next(heard: &mut UnboundedReceiver<Hint>) -> Hint {
    tokio::time::timeout(Duration::from_secs(10), heard.recv()).await.expect("a hint").expect("an ear")
}

fn look(bucket: &str) -> Hint {
    Hint::Look { bucket: Bucket::new(bucket).unwrap(), from: 0 }
}

fn in_bucket(bucket: &str) -> Add {
    let task = NewTask { bucket: Bucket::new(bucket).unwrap(), ..task() };
    Add { tasks: vec![task], ..Add::default() }
}

async fn register(store: &MySqlStore, worker: WorkerId) {
    let (name, offer, lease) = ("one".to_owned(), Offer::default(), Duration::from_secs(15));
    store.register(Register { worker, name, build: 0, offer, lease }).await.unwrap();
}

#[tokio::test]
async fn what_was_there_before_and_what_comes_later_is_heard() {
    let tables = Tables::new();
    let (one, other) = (tables.open().await, tables.open().await);
    one.add(in_bucket("early")).await.unwrap();
    let mut heard = listening(&other);
    assert_eq!(next(&mut heard).await, look("early"));
    one.add(in_bucket("late")).await.unwrap();
    assert_eq!(next(&mut heard).await, look("late"));
}

#[tokio::test]
async fn own_adds_are_not_heard_again() {
    let tables = Tables::new();
    let (one, other) = (tables.open().await, tables.open().await);
    let mut heard = listening(&one);
    // A ready task of one's own is a change from nothing to something, which is told once.
    one.add(in_bucket("own")).await.unwrap();
    assert_eq!(next(&mut heard).await, look("own"));
    one.add(in_bucket("own too")).await.unwrap();
    other.add(in_bucket("of another")).await.unwrap();
    assert_eq!(next(&mut heard).await, look("of another"));
}

#[tokio::test]
async fn a_held_task_of_another_asks_for_a_release() {
    let tables = Tables::new();
    let (one, other) = (tables.open().await, tables.open().await);
    let mut heard = listening(&other);
    let serial = NewTask { serial: Some("account 1".into()), ..task() };
    one.add(Add { tasks: vec![serial], ..Add::default() }).await.unwrap();
    assert_eq!(next(&mut heard).await, Hint::Release("account 1".into()));
}

#[tokio::test]
async fn a_run_that_was_taken_away_is_heard_by_its_worker_alone() {
    let tables = Tables::new();
    let (one, other) = (tables.open().await, tables.open().await);
    register(&one, worker(1)).await;
    one.add(batch(1)).await.unwrap();
    let task = grab(&one, worker(1), 1).await.unwrap().remove(0);
    let mut heard = listening(&one);
    let (guard, deadline) = (Guard::Version(task.version), common::DEADLINE);
    let eject = Eject { id: task.id, guard, worker: worker(2), deadline, step: None, payload: None };
    other.eject(eject).await.unwrap().unwrap();
    assert_eq!(next(&mut heard).await, Hint::Recall(worker(1)));
}

#[tokio::test]
async fn more_news_than_are_read_one_by_one_is_a_look_at_all() {
    let tables = Tables::new();
    let (one, other) = (tables.open().await, tables.open().await);
    let mut heard = listening(&other);
    one.add(batch(300)).await.unwrap();
    while next(&mut heard).await != Hint::LookAll {}
}

#[tokio::test]
async fn rows_that_come_by_sql_are_heard() {
    let tables = Tables::new();
    let store = tables.open().await;
    let mut heard = listening(&store);
    let columns = "id, due_at, ready_at, base_at, created_at, changed_at, `grant`, version, format, attempt, failures, \
                   lost, payload_len, status, priority, bucket, kind, payload";
    let insert = format!(
        "insert into {}task ({columns}) values (x'01', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 5, 'west', 'mail', '')",
        tables.prefix
    );
    run(&insert).await;
    assert_eq!(next(&mut heard).await, look("west"));
}
