//! What happens when a worker stands still inside a transaction of its own. It has a process of its own, as the hook at
//! the abort points is the whole process's.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says so by panicking")]

mod common;

use common::{Schema, connect, task};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use steadfast_core::abort::{self, Point};
use steadfast_core::seam::{Add, Settled};
use steadfast_core::{Key, NewTask, Receipt, Store, StoreError};

/// Longer than the server lets a transaction of ours stand still.
const STILL: Duration = Duration::from_secs(6);

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_stands_still_inside_a_transaction_loses_its_locks() {
    static STOOD: AtomicBool = AtomicBool::new(false);
    let schema = Schema::new();
    let store = schema.open().await;
    abort::set(|point| {
        if point == Point::AddSent && !STOOD.swap(true, Ordering::SeqCst) {
            std::thread::sleep(STILL);
        }
    });
    let keyed = || NewTask { key: Some(Key::key("a")), ..task() };
    let receipt = Receipt::new(1, [2, 3]);
    let still = tokio::spawn({
        let (store, add) =
            (store.clone(), Add { tasks: vec![keyed()], receipt: Some(receipt), ..Add::default() });
        async move { store.add(add).await }
    });
    while !STOOD.load(Ordering::SeqCst) {
        tokio::task::yield_now().await;
    }
    // The first one has the key in its hands, and does not let go of it by itself.
    let began = Instant::now();
    while let Err(error) = store.add(Add { tasks: vec![keyed()], ..Add::default() }).await {
        assert!(matches!(error, StoreError::Busy(_)), "{error:?}");
    }
    assert!(began.elapsed() < STILL, "the other one waited for the one that stood still");
    let error = still.await.unwrap().unwrap_err();
    assert!(matches!(error, StoreError::Unknown(_) | StoreError::Down(_)), "{error:?}");
    assert_eq!(store.settle(receipt).await.unwrap(), Settled::Never);
    let sql = format!("select count(*) from {}.task", schema.name);
    assert_eq!(connect().await.query_one(&sql, &[]).await.unwrap().get::<_, i64>(0), 1);
}
