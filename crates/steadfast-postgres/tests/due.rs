//! What comes due goes straight to a worker that has room for it.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says so by panicking")]

mod common;

use common::{Schema, batch, worker};
use std::time::Duration;
use steadfast_core::seam::{Add, Grab};
use steadfast_core::{Bucket, Demand, Lane, NewTask, Store, When};
use steadfast_postgres::PgStore;
use steadfast_testkit::TestClock;

const DEADLINE: Duration = Duration::from_secs(60);

/// A store in which so many tasks have just come due.
async fn store(schema: &Schema, n: usize) -> (PgStore, Demand) {
    let clock = TestClock::new();
    let mut options = schema.options();
    options.clock = Some(clock.clone());
    let store = PgStore::open(&common::url(), options).await.unwrap();
    let later = |new| NewTask { when: When::After(Duration::from_secs(1)), ..new };
    let tasks: Vec<NewTask> = batch(n).tasks.into_iter().map(later).collect();
    let (kind, priority) = (tasks[0].kind.clone(), tasks[0].priority);
    store.add(Add { tasks, ..Add::default() }).await.unwrap();
    clock.pass(Duration::from_secs(2));
    (store, Demand { kind, priority, lane: Lane::Plain, n })
}

fn for_worker(demands: &[Demand]) -> Grab {
    let demands = demands.iter().map(|demand| (demand.clone(), DEADLINE)).collect();
    Grab { worker: worker(1), bucket: Bucket::default(), demands, under: None, durable: false }
}

#[tokio::test]
async fn as_many_are_granted_as_were_asked_for() {
    let schema = Schema::new();
    let (store, demand) = store(&schema, 30).await;
    // Two demands for the same are one.
    let demand = Demand { n: 10, ..demand };
    let due = store.due_for(1000, for_worker(&[demand.clone(), demand.clone()])).await.unwrap();
    assert_eq!(due.granted.len(), 20);
    assert_eq!(due.notes.iter().map(|(_, note)| note.n).sum::<usize>(), 10);
    assert!(due.granted.is_sorted_by_key(|task| task.seq), "in the order in which they came due");
    assert_eq!(store.held(worker(1)).await.unwrap().len(), 20);
    // Where a row lies was noted, as by a grab: its end finds it there.
    let ends = due.granted.iter().map(|task| common::done(task, steadfast_core::Retention::Delete)).collect();
    let _ = store.finish(ends).await.unwrap();
    assert!(store.held(worker(1)).await.unwrap().is_empty());
}

#[tokio::test]
async fn more_are_due_than_fit_into_one_answer() {
    let schema = Schema::new();
    let (store, demand) = store(&schema, 30).await;
    let mut granted = 0;
    for (n, next_in) in [(20, Some(Duration::ZERO)), (10, None)] {
        let due = store.due_for(20, for_worker(std::slice::from_ref(&demand))).await.unwrap();
        assert_eq!((due.granted.len(), due.next_in), (n, next_in));
        granted += n;
    }
    assert_eq!(store.held(worker(1)).await.unwrap().len(), granted);
}
