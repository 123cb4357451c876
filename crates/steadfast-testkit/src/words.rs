//! Short words for the tests of stores.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use steadfast_core::seam::{Add, Answer, Cause, Finish, Grab};
use steadfast_core::{
    Bucket, Change, Demand, Kind, Lane, NewTask, Payload, Policy, Priority, Retention, Store, StoreError,
    Task, TaskId, To, WorkerId, lost,
};

/// Of all that is grabbed by [`grab`].
pub const DEADLINE: Duration = Duration::from_secs(3600);

static NUMBERS: AtomicU64 = AtomicU64::new(1);

/// A number that nothing else in this process has.
pub fn number() -> u64 {
    NUMBERS.fetch_add(1, Ordering::Relaxed)
}

/// Waits for a future where there is no runtime.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

/// A plain task.
pub fn task() -> NewTask {
    let n = number();
    NewTask::new(TaskId::new(1_700_000_000_000 + n, [n, n]), kind(), Payload::bytes(*b"payload"))
}

/// Some of them.
pub fn tasks(n: usize) -> Vec<NewTask> {
    (0..n).map(|_| task()).collect()
}

/// Some of them, to be added.
pub fn batch(n: usize) -> Add {
    Add { tasks: tasks(n), ..Add::default() }
}

/// The kind of [`task`].
pub fn kind() -> Kind {
    Kind::new("mail").unwrap()
}

/// A worker that never registered.
pub fn worker(n: u64) -> WorkerId {
    WorkerId::new(n, [n, n])
}

/// Takes up to so many of [`task`].
pub fn grab<S: Store>(store: &S, worker: WorkerId, n: usize) -> Answer<'_, Vec<Task>> {
    let demand = Demand { kind: kind(), priority: Priority::default(), lane: Lane::Plain, n };
    let demands = vec![(demand, DEADLINE)];
    store.grab(Grab { worker, bucket: Bucket::default(), demands, under: None, durable: false })
}

/// A run that went well.
pub fn done(task: &Task, retention: Retention) -> Finish {
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

/// A run of a worker that died.
pub fn reaped(task: &Task) -> Finish {
    Finish { cause: Cause::Dead, change: lost(task, &Policy::default()), ..done(task, Retention::History) }
}

/// The words of a refusal.
pub fn refusal<T: std::fmt::Debug>(result: Result<T, StoreError>) -> String {
    match result.unwrap_err() {
        StoreError::Refused(refusal) => refusal.to_string(),
        other => panic!("{other:?} is no refusal"),
    }
}
