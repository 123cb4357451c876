//! The engine on PostgreSQL: what a user sees.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says so by panicking")]

mod common;

use common::{Schema, connect};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use steadfast::{BoxError, Builder, Deed, Guard, Handler, New, Outcome, Run, Status};
use steadfast_postgres::PgStore;
use steadfast_testkit::bars;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// A worker that says which payloads it got.
async fn worker(
    schema: &Schema,
    lease: Duration,
) -> (steadfast::Engine, UnboundedReceiver<(Vec<u8>, Instant)>) {
    let (heard, told) = unbounded_channel();
    let handler = Handler::of("mail", move |run: Run| {
        let heard = heard.clone();
        async move { drop(heard.send((run.bytes().to_vec(), Instant::now()))) }
    });
    let engine = builder(schema).await.register(handler).configure(|config| config.lease = lease).start();
    (engine.await.unwrap(), told)
}

async fn builder(schema: &Schema) -> Builder {
    let store = Arc::new(schema.open().await);
    Builder::on(store.clone(), store)
}

#[tokio::test(flavor = "multi_thread")]
async fn two_workers_run_every_task_once() {
    let schema = Schema::new();
    let lease = Duration::from_secs(15);
    let ((one, mut here), (other, mut there)) = (worker(&schema, lease).await, worker(&schema, lease).await);
    let caller = builder(&schema).await.start().await.unwrap();
    let news = (0..500).map(|n: u32| New::kind("mail", n.to_string()));
    let added = caller.add_many(news).await.unwrap();
    let mut runs: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
    while runs.len() < 500 {
        let (bytes, _) = tokio::select! {
            run = here.recv() => run.unwrap(),
            run = there.recv() => run.unwrap(),
        };
        *runs.entry(bytes).or_default() += 1;
    }
    assert!(runs.values().all(|n| *n == 1), "{runs:?}");
    let _ = one.drain().await.unwrap();
    let _ = other.drain().await.unwrap();
    assert_eq!(caller.get(added[499].id).await.unwrap().unwrap().status, Status::Done);
}

// L-16.
#[tokio::test(flavor = "multi_thread")]
async fn a_task_of_another_process_is_picked_up_at_once() {
    let schema = Schema::new();
    let (_worker, mut told) = worker(&schema, Duration::from_secs(15)).await;
    let caller = builder(&schema).await.start().await.unwrap();
    let mut took = Vec::new();
    for _ in 0..21 {
        caller.add(New::kind("mail", "")).await.unwrap();
        let added = Instant::now();
        took.push(told.recv().await.unwrap().1.saturating_duration_since(added));
    }
    took.sort();
    assert!(took[10] <= Duration::from_millis(100), "median {:?}, worst {:?}", took[10], took[20]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_added_in_sql_is_run() {
    let schema = Schema::new();
    let (_worker, mut told) = worker(&schema, Duration::from_secs(15)).await;
    let mine = connect().await;
    mine.batch_execute(&format!("select {}.add('mail', bytes => 'hello')", schema.name)).await.unwrap();
    assert_eq!(told.recv().await.unwrap().0, b"hello");
}

/// A runtime of one thread that a handler blocks for longer than the lease.
#[tokio::test]
async fn a_runtime_that_is_blocked_does_not_cost_the_lease() {
    let schema = Schema::new();
    let (engine, _told) = worker(&schema, Duration::from_millis(600)).await;
    std::thread::sleep(Duration::from_secs(2));
    let mine = connect().await;
    let sql = format!("select lease_until > {0}.clock() from {0}.worker", schema.name);
    assert!(mine.query_one(&sql, &[]).await.unwrap().get::<_, bool>(0), "it was renewed all the while");
    let _ = engine.drain().await.unwrap();
}

/// Effects of a run that lost its task meanwhile are rolled back; those of the run that took over are there once.
#[tokio::test(flavor = "multi_thread")]
async fn effects_are_committed_with_the_end_of_their_run_or_not_at_all() {
    let schema = Schema::new();
    let (heard, mut told) = unbounded_channel();
    let table = format!("{}.paid", schema.name);
    let insert = format!("insert into {table} values ($1)");
    let pay = Handler::of("pay", move |run: Run| {
        let (heard, insert) = (heard.clone(), insert.clone());
        async move {
            let tx = run.store::<PgStore>()?.begin().await?;
            let attempt = i64::from(run.task().attempt);
            tx.client().execute(&insert, &[&attempt]).await?;
            let (go, gone) = tokio::sync::oneshot::channel::<()>();
            heard.send((run.task().clone(), go))?;
            let _ = gone.await;
            Ok::<_, BoxError>(tx.finish(Outcome::Done))
        }
    });
    let engine = builder(&schema).await.register(pay).start().await.unwrap();
    connect().await.batch_execute(&format!("create table {table} (attempt bigint)")).await.unwrap();
    let added = engine.add(New::kind("pay", "")).await.unwrap();
    let (task, go) = told.recv().await.unwrap();
    // Somebody takes it away and lets it run again, while the handler sits in its transaction.
    let paused = engine.act(task.id, Guard::Grant(task.grant), Deed::Pause).await.unwrap();
    engine.act(task.id, Guard::Version(paused.version), Deed::Release).await.unwrap();
    drop(go);
    let (_, go) = told.recv().await.unwrap();
    drop(go);
    let ended = engine.wait(added.id).await.unwrap().unwrap();
    let rows = connect().await.query(&format!("select attempt from {table}"), &[]).await.unwrap();
    let attempts: Vec<i64> = rows.iter().map(|row| row.get(0)).collect();
    assert_eq!((ended.status, attempts), (Status::Done, vec![i64::from(ended.attempt)]));
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_tasks_behind_ten_thousand_of_a_slow_partner_take_hardly_longer() {
    let (quiet, busy) = (Schema::new(), Schema::new());
    let alone = bars::ten_of_a_partner(&Arc::new(quiet.open().await), false).await;
    let behind = bars::ten_of_a_partner(&Arc::new(busy.open().await), true).await;
    println!("alone {alone:?}, behind {behind:?}");
    assert!(behind < 2 * alone, "alone {alone:?}, behind {behind:?}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures: run it in release, alone"]
async fn a_cluster_limit_that_is_never_reached_costs_less_than_a_tenth() {
    let mut schemas = Vec::new();
    let open = async || {
        schemas.push(Schema::new());
        Arc::new(schemas[schemas.len() - 1].open().await)
    };
    let ratio = bars::limited_of_free(open).await;
    assert!(ratio >= 0.9, "{ratio:.2}");
}
