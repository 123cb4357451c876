//! What happens when a call is dropped or its session ends half-way.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says so by panicking")]

mod common;

use common::{LEASE, Schema, batch, connect, done, grab, reaped, register, task, worker};
use std::time::Duration;
use steadfast_core::seam::{Add, Finished, Renew, Renewed, Settled};
use steadfast_core::{Key, NewTask, Receipt, Retention, Store, StoreError};
use steadfast_postgres::PgStore;
use steadfast_postgres::tokio_postgres::Client;
use steadfast_testkit::Wire;

/// A store whose sessions can be told from others.
async fn open(schema: &Schema) -> PgStore {
    let url = format!("{}&application_name={}", common::url(), schema.name);
    PgStore::open(&url, schema.options()).await.unwrap()
}

/// Waits until a session of the store is stopped by a lock; says which.
async fn stuck(mine: &Client, schema: &Schema) -> i32 {
    let sql = "select pid from pg_stat_activity where application_name = $1 and wait_event_type in ('Lock', 'Timeout') limit 1";
    for _ in 0..1000 {
        if let Some(row) = mine.query_opt(sql, &[&schema.name]).await.unwrap() {
            return row.get(0);
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("nobody waits for the lock");
}

async fn end_session(mine: &Client, pid: i32) {
    mine.execute("select pg_terminate_backend($1)", &[&pid]).await.unwrap();
}

/// Sessions of the store with an open transaction.
async fn open_transactions(mine: &Client, schema: &Schema) -> i64 {
    let sql = "select count(*) from pg_stat_activity \
               where application_name = $1 and state like 'idle in transaction%'";
    mine.query_one(sql, &[&schema.name]).await.unwrap().get(0)
}

async fn lock(mine: &Client, schema: &Schema) {
    mine.batch_execute(&format!("begin; lock table {}.task in exclusive mode", schema.name)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_whose_session_ends_half_way_is_settled_as_never() {
    let schema = Schema::new();
    let (store, mine, other) = (open(&schema).await, connect().await, connect().await);
    lock(&mine, &schema).await;
    let receipt = Receipt::new(1, [2, 3]);
    let add = Add { receipt: Some(receipt), ..batch(2) };
    let adding = tokio::spawn({
        let store = store.clone();
        async move { store.add(add).await }
    });
    end_session(&other, stuck(&other, &schema).await).await;
    let error = adding.await.unwrap().unwrap_err();
    assert!(matches!(error, StoreError::Unknown(_)), "one statement is its own commit: {error:?}");
    mine.batch_execute("rollback").await.unwrap();
    assert_eq!(store.settle(receipt).await.unwrap(), Settled::Never);
    assert!(grab(&store, worker(1), 9).await.unwrap().is_empty(), "the next call works");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_that_ends_before_its_commit_is_down_and_not_unknown() {
    let schema = Schema::new();
    let (store, mine, other) = (open(&schema).await, connect().await, connect().await);
    mine.batch_execute(&format!("begin; lock table {}.key in exclusive mode", schema.name)).await.unwrap();
    let keyed = NewTask { key: Some(Key::key("a")), ..task() };
    let adding = tokio::spawn({
        let store = store.clone();
        async move { store.add(Add { tasks: vec![keyed], ..Add::default() }).await }
    });
    end_session(&other, stuck(&other, &schema).await).await;
    let error = adding.await.unwrap().unwrap_err();
    assert!(matches!(error, StoreError::Down(_)), "{error:?}");
    mine.batch_execute("rollback").await.unwrap();
    assert_eq!(store.look_up(Key::key("a")).await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_keyed_add_waits_a_second_for_another_and_is_then_busy() {
    let schema = Schema::new();
    let (store, mut mine) = (open(&schema).await, connect().await);
    let keyed = || NewTask { key: Some(Key::key("a")), ..task() };
    let tx = mine.transaction().await.unwrap();
    let _ = store.add_in(&tx, vec![keyed()]).await.unwrap();
    let error = store.add(Add { tasks: vec![keyed()], ..Add::default() }).await.unwrap_err();
    assert!(matches!(error, StoreError::Busy(_)), "{error:?}");
    tx.rollback().await.unwrap();
    assert!(store.add(Add { tasks: vec![keyed()], ..Add::default() }).await.unwrap().added[0].fresh);
}

#[tokio::test(flavor = "multi_thread")]
async fn idle_connections_that_were_ended_are_replaced() {
    let schema = Schema::new();
    let (store, mine) = (open(&schema).await, connect().await);
    store.add(batch(1)).await.unwrap();
    let pids = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1";
    mine.execute(pids, &[&schema.name]).await.unwrap();
    let gone = "select count(*) from pg_stat_activity where application_name = $1";
    while mine.query_one(gone, &[&schema.name]).await.unwrap().get::<_, i64>(0) > 0 {
        tokio::task::yield_now().await;
    }
    // The store may not have noticed yet; then one call says so, and the next one works.
    if let Err(error) = store.buckets().await {
        assert!(matches!(error, StoreError::Down(_)), "{error:?}");
    }
    assert_eq!(store.buckets().await.unwrap().len(), 1);
}

/// A replica that lags may have taken over meanwhile, with old leases of all others.
#[tokio::test(flavor = "multi_thread")]
async fn a_session_lost_between_two_renews_breaks_the_contact_once() {
    let schema = Schema::new();
    let (store, mine) = (open(&schema).await, connect().await);
    register(&store, worker(1)).await;
    let renew = || store.renew(Renew { worker: worker(1), lease: LEASE, handled: Vec::new() });
    assert!(matches!(renew().await.unwrap(), Renewed::Alive { .. }));
    let pids = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1";
    mine.execute(pids, &[&schema.name]).await.unwrap();
    let gone = "select count(*) from pg_stat_activity where application_name = $1";
    while mine.query_one(gone, &[&schema.name]).await.unwrap().get::<_, i64>(0) > 0 {
        tokio::task::yield_now().await;
    }
    // Unknown if the store had not noticed yet and sent it into the void.
    let error = renew().await.unwrap_err();
    assert!(matches!(error, StoreError::Down(_) | StoreError::Unknown(_)), "{error:?}");
    assert!(matches!(renew().await.unwrap(), Renewed::Alive { .. }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_call_leaves_no_transaction_open() {
    let schema = Schema::new();
    let (store, mine, other) = (open(&schema).await, connect().await, connect().await);
    store.add(batch(5)).await.unwrap();
    let tasks = grab(&store, worker(1), 5).await.unwrap();
    lock(&mine, &schema).await;
    for task in &tasks {
        // Parts of these calls are transactions of several statements, so some are dropped inside one.
        let mut finish = done(task, Retention::History);
        finish.change.step = Some("last".into());
        let call = store.finish(vec![finish]);
        assert!(tokio::time::timeout(Duration::from_millis(30), call).await.is_err(), "the table is locked");
    }
    stuck(&other, &schema).await;
    mine.batch_execute("rollback").await.unwrap();
    // All connections are of use: as many calls as the pool holds, and none of them inside another's transaction.
    let finishes: Vec<_> =
        tasks.iter().map(|task| store.finish(vec![done(task, Retention::History)])).collect();
    for finish in finishes {
        let _ = finish.await.unwrap();
    }
    assert_eq!(open_transactions(&other, &schema).await, 0);
    assert!(store.held(worker(1)).await.unwrap().is_empty());
}

/// A worker that was stopped in a transaction holds its own tasks until its session ends, and nobody else's.
#[tokio::test(flavor = "multi_thread")]
async fn a_reap_leaves_locked_tasks_to_the_next_sweep_and_takes_the_others() {
    let schema = Schema::new();
    let (store, mine) = (open(&schema).await, connect().await);
    store.add(batch(3)).await.unwrap();
    let tasks = grab(&store, worker(1), 3).await.unwrap();
    let reaps = || store.finish(tasks.iter().map(reaped).collect());
    mine.batch_execute("begin").await.unwrap();
    let sql = format!("select id from {}.task where id = $1 for update", schema.name);
    mine.execute(&sql, &[&tasks[1].id.uuid()]).await.unwrap();
    let seen: Vec<bool> = reaps().await.unwrap().iter().map(|answer| *answer == Finished::Lost).collect();
    assert_eq!(seen, [false, true, false]);
    mine.batch_execute("rollback").await.unwrap();
    let seen: Vec<bool> = reaps().await.unwrap().iter().map(|answer| *answer == Finished::Lost).collect();
    assert_eq!(seen, [true, false, true], "the others were taken before");
}

/// Whoever writes the row of a running task leaves its grant alone, so the run still ends as it said.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_ends_although_its_row_is_written_while_the_end_waits_for_it() {
    let schema = Schema::new();
    let (store, mine, other) = (open(&schema).await, connect().await, connect().await);
    let stranger = open(&schema).await;
    store.add(batch(4)).await.unwrap();
    let tasks = grab(&store, worker(1), 4).await.unwrap();
    let short = |at: usize| done(&tasks[at], Retention::Delete);
    let mut long = short(3);
    long.change.step = Some("last".into());
    // By the place that the grab told, by its id, and inside a transaction beside an end of another sort.
    let ends = [(&store, vec![short(0)]), (&stranger, vec![short(1)]), (&store, vec![short(2), long])];
    for (store, finishes) in ends {
        mine.batch_execute(&format!("begin; update {}.task set priority = priority + 1", schema.name))
            .await
            .unwrap();
        let writing = async {
            stuck(&other, &schema).await;
            mine.batch_execute("commit").await.unwrap();
        };
        let (finished, ()) = tokio::join!(store.finish(finishes), writing);
        for finished in finished.unwrap() {
            assert!(matches!(finished, Finished::Accepted { .. }), "{finished:?}");
        }
    }
    assert!(store.held(worker(1)).await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_grab_stands_in_line_but_not_for_ever() {
    const LINE: &str = "select (classid::bigint << 32) | objid::bigint from pg_locks \
                        where locktype = 'advisory' and granted and pid = $1";
    let schema = Schema::new();
    let (store, mine, other) = (open(&schema).await, connect().await, connect().await);
    store.add(batch(300)).await.unwrap();
    // The statement is prepared by then, which would stand still before it stood in line.
    assert_eq!(grab(&store, worker(1), 2).await.unwrap().len(), 2);
    lock(&mine, &schema).await;
    let looking = async {
        // It stands still before the table, and others behind it.
        let line: i64 = other.query_one(LINE, &[&stuck(&other, &schema).await]).await.unwrap().get(0);
        mine.batch_execute("rollback").await.unwrap();
        line
    };
    let (first, line) = tokio::join!(grab(&store, worker(1), 100), looking);
    assert_eq!(first.unwrap().len(), 100);
    other.execute("select pg_advisory_lock($1)", &[&line]).await.unwrap();
    let (large, small) = tokio::join!(grab(&store, worker(2), 100), async {
        stuck(&mine, &schema).await;
        grab(&store, worker(3), 90).await
    });
    assert_eq!((small.unwrap().len(), large.unwrap().len()), (90, 100), "neither waits for ever");
    assert_eq!(open_transactions(&mine, &schema).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_settling_that_cannot_get_through_is_busy_and_may_be_repeated() {
    let schema = Schema::new();
    let store = open(&schema).await;
    let mut mine = connect().await;
    let receipt = Receipt::new(1, [5, 6]);
    // Somebody holds the receipt and neither commits nor goes: nobody remembers whose session it is.
    let tx = mine.transaction().await.unwrap();
    let sql = format!("insert into {}.receipt values ($1, 0, true)", schema.name);
    tx.execute(&sql, &[&receipt.uuid()]).await.unwrap();
    let error = store.settle(receipt).await.unwrap_err();
    assert!(matches!(error, StoreError::Busy(_)), "{error:?}");
    tx.commit().await.unwrap();
    assert_eq!(store.settle(receipt).await.unwrap(), Settled::Committed);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_that_still_hangs_in_its_lost_session_is_ended_by_its_settling() {
    let schema = Schema::new();
    let (head, tail) = common::url().split_once('@').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    let (server, rest) = tail.split_once('/').unwrap();
    let wire = Wire::new(server.to_owned()).await;
    let url = format!("{head}@127.0.0.1:{}/{rest}&application_name={}", wire.port, schema.name);
    let store = PgStore::open(&url, schema.options()).await.unwrap();
    let (other, receipt) = (connect().await, Receipt::new(1, [7, 8]));
    // The batch hangs with its receipt written. A wait for a lock would end by itself.
    let hang = format!(
        "create function {0}.hang() returns trigger language plpgsql as
         $$ begin perform pg_sleep(60); return new; end $$;
         create trigger hang before insert on {0}.task for each row execute function {0}.hang()",
        schema.name
    );
    other.batch_execute(&hang).await.unwrap();
    let add = Add { tasks: vec![task()], receipt: Some(receipt), ..Add::default() };
    let adding = tokio::spawn({
        let store = store.clone();
        async move { store.add(add).await }
    });
    let pid = stuck(&other, &schema).await;
    wire.cut();
    let error = adding.await.unwrap().unwrap_err();
    assert!(matches!(error, StoreError::Unknown(_)), "{error:?}");
    assert_eq!(store.settle(receipt).await.unwrap(), Settled::Never);
    let gone = "select count(*) from pg_stat_activity where pid = $1";
    assert_eq!(other.query_one(gone, &[&pid]).await.unwrap().get::<_, i64>(0), 0);
    assert!(grab(&store, worker(1), 9).await.unwrap().is_empty());
}
