//! Word between stores.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says so by panicking")]

mod common;

use common::{Schema, connect, register, task, worker};
use std::time::Duration;
use steadfast_core::seam::{Add, Adds, Store};
use steadfast_core::{Bucket, Hint, Hints, NewTask, Receipt, When};
use steadfast_postgres::PgStore;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// What a store hears, once it listens.
async fn listening(store: &PgStore) -> UnboundedReceiver<Hint> {
    let (sender, mut heard) = unbounded_channel();
    store.listen(Box::new(move |hint| sender.send(hint).is_ok()));
    assert_eq!(next(&mut heard).await, Hint::LookAll, "what was said before is caught up with");
    heard
}

async fn next(heard: &mut UnboundedReceiver<Hint>) -> Hint {
    tokio::time::timeout(Duration::from_secs(10), heard.recv()).await.expect("a hint").expect("an ear")
}

fn look(n: usize) -> Hint {
    Hint::Look { bucket: Bucket::new(format!("bucket {n}")).unwrap(), from: 7 }
}

#[tokio::test]
async fn hints_are_heard_by_other_stores_and_once_by_the_own() {
    let schema = Schema::new();
    let (one, other) = (schema.open().await, schema.open().await);
    let (mut here, mut there) = (listening(&one).await, listening(&other).await);
    for hint in [look(1), Hint::Recall(worker(5)), Hint::Release("account 1".into()), Hint::LookAll] {
        one.ring(hint.clone());
        assert_eq!(next(&mut here).await, hint);
        assert_eq!(next(&mut there).await, hint);
    }
    other.ring(look(2));
    assert_eq!(next(&mut here).await, look(2), "nothing came back in between");
}

#[tokio::test]
async fn many_hints_at_once_are_all_heard() {
    let schema = Schema::new();
    let (one, other) = (schema.open().await, schema.open().await);
    let mut there = listening(&other).await;
    for n in 0..200 {
        one.ring(look(n % 50));
    }
    let mut seen = std::collections::BTreeSet::new();
    while seen.len() < 50 {
        seen.insert(next(&mut there).await);
    }
}

#[tokio::test]
async fn stores_of_other_schemas_hear_nothing() {
    let (schema, elsewhere) = (Schema::new(), Schema::new());
    let (one, other, far) = (schema.open().await, schema.open().await, elsewhere.open().await);
    let (mut there, mut away) = (listening(&other).await, listening(&far).await);
    one.ring(look(1));
    assert_eq!(next(&mut there).await, look(1));
    far.ring(look(2));
    assert_eq!(next(&mut away).await, look(2), "its own, and nothing before it");
}

async fn add(store: &PgStore, new: NewTask) -> Adds {
    let receipt = Some(Receipt::new(7, [new.id.uuid().as_u64_pair().1, 7]));
    store.add(Add { tasks: vec![new], receipt, ..Add::default() }).await.unwrap()
}

/// What is rung for a task that is ready since then.
fn ready(new: &NewTask, adds: &Adds, from: u64) -> Hint {
    let (bucket, kind, priority) = (new.bucket.clone(), new.kind.clone(), new.priority);
    Hint::Ready { bucket, kind, priority, ready_at: adds.now, n: 1, from }
}

#[tokio::test]
async fn a_lone_add_is_heard_of_before_anybody_rings_and_once() {
    let schema = Schema::new();
    let (one, other) = (schema.open().await, schema.open().await);
    let (mut here, mut there) = (listening(&one).await, listening(&other).await);
    let new = task();
    let adds = add(&one, new.clone()).await;
    let Hint::Ready { ready_at, .. } = next(&mut there).await else { panic!("it says what is ready") };
    assert!(ready_at >= adds.now, "by the clock of the store");
    one.ring(ready(&new, &adds, 7));
    assert_eq!(next(&mut here).await, ready(&new, &adds, 7), "nobody else told those who listen here");
    one.ring(look(1));
    assert_eq!(next(&mut there).await, look(1), "nothing came in between");
    // The next one like it is another one.
    one.ring(ready(&new, &adds, 7));
    assert_eq!(next(&mut there).await, ready(&new, &adds, 7));
}

#[tokio::test]
async fn an_add_for_later_is_rung_by_the_engine_alone() {
    let schema = Schema::new();
    let (one, other) = (schema.open().await, schema.open().await);
    let mut there = listening(&other).await;
    let _ = add(&one, NewTask { when: When::After(Duration::from_secs(60)), ..task() }).await;
    one.ring(look(1));
    assert_eq!(next(&mut there).await, look(1));
}

#[tokio::test]
async fn of_tasks_nobody_is_told_where_no_other_worker_lives() {
    let schema = Schema::new();
    let (one, other) = (schema.open().await, schema.open().await);
    let mut there = listening(&other).await;
    register(&one, worker(1)).await;
    one.ring(look(1));
    assert_eq!(next(&mut there).await, look(1), "nobody has asked yet who is there");
    let release = Hint::Release("account 1".into());
    one.kinds().await.unwrap();
    one.ring(look(2));
    let _ = add(&one, task()).await;
    one.ring(release.clone());
    assert_eq!(next(&mut there).await, release, "of no task before it");
    register(&other, worker(2)).await;
    one.kinds().await.unwrap();
    one.ring(look(3));
    assert_eq!(next(&mut there).await, look(3));
    other.retire(worker(2)).await.unwrap();
    one.kinds().await.unwrap();
    one.ring(look(4));
    one.ring(release.clone());
    assert_eq!(next(&mut there).await, release, "the other one is gone");
}

/// On this runtime nothing goes on while the store is being closed.
#[tokio::test]
async fn a_store_closes_with_a_word_on_its_way() {
    let schema = Schema::new();
    let other = schema.open().await;
    let mut there = listening(&other).await;
    for _ in 0..5 {
        let one = schema.open().await;
        let _ = add(&one, task()).await;
        drop(one);
        assert!(matches!(next(&mut there).await, Hint::Ready { .. }));
    }
}

#[tokio::test]
async fn a_listener_outlives_the_runtime_that_it_began_in() {
    let schema = Schema::new();
    let other = schema.open().await;
    let opened = std::thread::scope(|scope| {
        let opened = scope.spawn(|| {
            common::block_on(async {
                let store = schema.open().await;
                let heard = listening(&store).await;
                (store, heard)
            })
        });
        opened.join().unwrap()
    });
    let (store, mut heard) = opened;
    assert_eq!(next(&mut heard).await, Hint::LookAll, "it may have missed something");
    other.ring(look(1));
    assert_eq!(next(&mut heard).await, look(1));
    drop(store);
}

#[tokio::test]
async fn the_sql_function_rings_when_it_is_told_to() {
    let schema = Schema::new();
    let store = schema.open().await;
    let (mut heard, mine) = (listening(&store).await, connect().await);
    let add = format!("select {0}.add('mail'), {0}.add('mail', bucket => 'west', ring => true)", schema.name);
    mine.batch_execute(&add).await.unwrap();
    assert_eq!(next(&mut heard).await, Hint::Look { bucket: Bucket::new("west").unwrap(), from: 0 });
}

#[tokio::test]
async fn a_lost_listener_listens_again() {
    let schema = Schema::new();
    let url = format!("{}&application_name={}", common::url(), schema.name);
    let store = PgStore::open(&url, schema.options()).await.unwrap();
    let (mut heard, mine) = (listening(&store).await, connect().await);
    let end = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1";
    mine.execute(end, &[&schema.name]).await.unwrap();
    assert_eq!(next(&mut heard).await, Hint::LookAll, "it may have missed something");
}
