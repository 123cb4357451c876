//! Tasks that come in while things go wrong, each with a number of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use steadfast::{Engine, Error, New, StoreError};
use tokio::task::JoinHandle;

/// Most tasks in one call.
const BATCH: u64 = 25;
const PAUSE: Duration = Duration::from_millis(25);

/// How many add at once.
const CALLERS: usize = 4;

/// Some who add without pause, and repeat a call that is said not to have happened.
pub(crate) struct Feed {
    over: Arc<AtomicBool>,
    next: Arc<AtomicU64>,
    adding: Vec<JoinHandle<()>>,
}

impl Feed {
    /// Adds a few thousand tasks a second until it is stopped.
    pub(crate) fn start(engine: &Engine, new: fn(u64) -> New) -> Self {
        let (over, next) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let caller = |_| {
            let (engine, over, next) = (engine.clone(), over.clone(), next.clone());
            tokio::spawn(async move {
                while !over.load(Ordering::SeqCst) {
                    let n = next.fetch_add(BATCH, Ordering::SeqCst);
                    add(&engine, n..n + BATCH, new).await;
                    tokio::time::sleep(PAUSE).await;
                }
            })
        };
        let adding = (0..CALLERS).map(caller).collect();
        Self { over, next, adding }
    }

    /// How many were begun so far.
    pub(crate) fn so_far(&self) -> u64 {
        self.next.load(Ordering::SeqCst)
    }

    /// Says how many were added; every one of them was acknowledged.
    pub(crate) async fn stop(self) -> u64 {
        self.over.store(true, Ordering::SeqCst);
        for caller in self.adding {
            caller.await.expect("the caller lives");
        }
        self.next.load(Ordering::SeqCst)
    }
}

/// Adds tasks with these numbers, all acknowledged. "Nothing was added" is believed, and the call repeated.
pub(crate) async fn add(engine: &Engine, numbers: std::ops::Range<u64>, new: fn(u64) -> New) {
    loop {
        match engine.add_many(numbers.clone().map(new)).await {
            Ok(_) => return,
            Err(Error::Store(StoreError::Down(_) | StoreError::Busy(_))) => tokio::time::sleep(PAUSE).await,
            Err(error) => panic!("an add ended in {error:?}"),
        }
    }
}

/// Some of everything that takes another way to the database.
pub(crate) fn mixed(n: u64) -> New {
    let new = New::kind("quick", n.to_string());
    match n % 10 {
        // Not in every call: one key makes a transaction of the whole batch.
        0 if (n / BATCH).is_multiple_of(8) => new.key(n.to_string()),
        1 => new.serial(format!("serial {}", n % 70)),
        2 => new.after(Duration::from_millis(10)),
        _ => new,
    }
}
