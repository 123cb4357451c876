//! Measures the store alone, without an engine: what a batch of each call takes.
//!
//!     scripts/services run cargo run --release -p steadfast-postgres --example speed
#![allow(clippy::unwrap_used, reason = "a measurement that cannot go on says so by panicking")]

use std::future::Future;
use std::time::{Duration, Instant};
use steadfast_core::seam::{Add, Birth, Cause, Finish, Grab};
use steadfast_core::{
    Bucket, Change, Demand, Key, Kind, Lane, NewTask, Payload, Priority, Retention, Store, Task, TaskId, To,
    WorkerId,
};
use steadfast_postgres::{Options, PgStore};

const TASKS: usize = 50_000;
const DEADLINE: Duration = Duration::from_secs(3600);

#[tokio::main]
async fn main() {
    let url = std::env::var("STEADFAST_POSTGRES").unwrap();
    let mut options = Options::default();
    options.schema = "steadfast_speed".into();
    let store = PgStore::open(&url, options).await.unwrap();
    for batch in [1, 100, 500, 1000] {
        let n = if batch == 1 { TASKS / 50 } else { TASKS };
        round(&store, n, batch, Retention::Delete).await;
    }
    round(&store, TASKS, 500, Retention::History).await;
    births(&store, TASKS, 500).await;
    keyed(&store, TASKS / 5, 500).await;
}

async fn round(store: &PgStore, n: usize, batch: usize, retention: Retention) {
    println!("{n} tasks by {batch}, {retention:?}");
    time("add", n, async {
        for _ in 0..n / batch {
            store.add(Add { tasks: tasks(batch), ..Add::default() }).await.unwrap();
        }
    })
    .await;
    let worker = WorkerId::new(now_ms(), [1, 2]);
    let mut held: Vec<Vec<Task>> = Vec::new();
    time("grab", n, async {
        for _ in 0..n / batch {
            let demand = Demand { kind: kind(), priority: Priority::default(), lane: Lane::Plain, n: batch };
            let demands = vec![(demand, DEADLINE)];
            held.push(
                store
                    .grab(Grab { worker, bucket: Bucket::default(), demands, under: None, durable: false })
                    .await
                    .unwrap(),
            );
        }
    })
    .await;
    assert_eq!(held.iter().map(Vec::len).sum::<usize>(), n, "each task was taken once");
    time("finish", n, finish(store, &held, retention)).await;
}

async fn births(store: &PgStore, n: usize, batch: usize) {
    println!("{n} births by {batch}");
    let worker = WorkerId::new(now_ms(), [3, 4]);
    let mut held: Vec<Vec<Task>> = Vec::new();
    time("bear", n, async {
        for _ in 0..n / batch {
            let tasks = tasks(batch).into_iter().map(|task| (task, DEADLINE)).collect();
            let births = Some(Birth { worker, tasks });
            held.push(store.add(Add { births, ..Add::default() }).await.unwrap().born);
        }
    })
    .await;
    time("finish", n, finish(store, &held, Retention::Delete)).await;
}

async fn keyed(store: &PgStore, n: usize, batch: usize) {
    println!("{n} keyed tasks by {batch}");
    time("add", n, async {
        for _ in 0..n / batch {
            let mut tasks = tasks(batch);
            for task in &mut tasks {
                task.key = Some(Key::key(task.id.to_string()));
            }
            store.add(Add { tasks, ..Add::default() }).await.unwrap();
        }
    })
    .await;
}

async fn finish(store: &PgStore, held: &[Vec<Task>], retention: Retention) {
    for tasks in held {
        let finishes = tasks.iter().map(|task| done(task, retention)).collect();
        let _ = store.finish(finishes).await.unwrap();
    }
}

async fn time(what: &str, n: usize, work: impl Future<Output = ()>) {
    let n = u32::try_from(n).unwrap();
    let began = Instant::now();
    work.await;
    println!("  {what:8} {:>10.0} tasks/s", f64::from(n) / began.elapsed().as_secs_f64());
}

fn tasks(n: usize) -> Vec<NewTask> {
    let task = || {
        NewTask::new(
            TaskId::new(now_ms(), random()),
            kind(),
            Payload::bytes(*b"{\"to\":\"ada@example.org\"}"),
        )
    };
    (0..n).map(|_| task()).collect()
}

fn done(task: &Task, retention: Retention) -> Finish {
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

fn kind() -> Kind {
    Kind::new("mail").unwrap()
}

fn now_ms() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    u64::try_from(since.as_millis()).unwrap()
}

/// Good enough to tell ids apart.
fn random() -> [u64; 2] {
    use std::hash::{BuildHasher, RandomState};
    [RandomState::new().hash_one(1), RandomState::new().hash_one(2)]
}
