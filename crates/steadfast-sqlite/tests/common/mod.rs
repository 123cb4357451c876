//! Short words for the tests of this crate.
#![allow(dead_code, reason = "each test file uses some of them")]

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use steadfast_core::seam::{Add, Answer, Cause, Finish, Grab};
use steadfast_core::{
    Bucket, Change, Demand, Kind, Lane, NewTask, Payload, Priority, Retention, Store, StoreError, Task,
    TaskId, To, WorkerId,
};
use steadfast_sqlite::{Options, SqliteStore};
use tempfile::TempDir;

pub(crate) const DEADLINE: Duration = Duration::from_secs(3600);

static IDS: AtomicU64 = AtomicU64::new(1);

/// A folder for one test, and a file in it.
pub(crate) fn file() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.db");
    (folder, path)
}

pub(crate) fn open(path: &PathBuf) -> SqliteStore {
    SqliteStore::open(path, Options::default()).unwrap()
}

pub(crate) fn block_on<T>(future: impl std::future::Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

pub(crate) fn task() -> NewTask {
    let n = IDS.fetch_add(1, Ordering::Relaxed);
    NewTask::new(TaskId::new(1_700_000_000_000 + n, [n, n]), kind(), Payload::bytes(*b"payload"))
}

pub(crate) fn tasks(n: usize) -> Vec<NewTask> {
    (0..n).map(|_| task()).collect()
}

pub(crate) fn batch(n: usize) -> Add {
    Add { tasks: tasks(n), ..Add::default() }
}

pub(crate) fn kind() -> Kind {
    Kind::new("mail").unwrap()
}

pub(crate) fn worker(n: u64) -> WorkerId {
    WorkerId::new(n, [n, n])
}

pub(crate) fn grab(store: &SqliteStore, worker: WorkerId, n: usize) -> Answer<'_, Vec<Task>> {
    let demand = Demand { kind: kind(), priority: Priority::default(), lane: Lane::Plain, n };
    store.grab(Grab {
        worker,
        bucket: Bucket::default(),
        demands: vec![(demand, DEADLINE)],
        under: None,
        durable: false,
    })
}

pub(crate) fn done(task: &Task, retention: Retention) -> Finish {
    let change = Change {
        to: To::Done(retention),
        attempt: task.attempt,
        failures: task.failures,
        lost: task.lost,
        errors: None,
        output: None,
        kind: None,
        step: None,
        payload: None,
    };
    Finish { fence: task.fence().unwrap(), cause: Cause::Holder, change }
}

pub(crate) fn refusal<T: std::fmt::Debug>(result: Result<T, StoreError>) -> String {
    match result.unwrap_err() {
        StoreError::Refused(refusal) => refusal.to_string(),
        other => panic!("{other:?} is no refusal"),
    }
}
