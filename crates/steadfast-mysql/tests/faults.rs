//! What happens when a call is dropped, its session ends half-way, or others are in its way.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says so by panicking")]

mod common;

use common::{Tables, batch, connect, done, grab, reaped, run, tasks, worker};
use std::time::{Duration, Instant};
use steadfast_core::seam::{Add, Finished, Register, Renew, Renewed, Settled};
use steadfast_core::{Finding, Offer, Receipt, Retention, Store, StoreError};
use steadfast_mysql::mysql_async::Conn;
use steadfast_mysql::mysql_async::prelude::Queryable;
use steadfast_mysql::{MySqlStore, Options};
use steadfast_testkit::Wire;
use tokio::net::TcpListener;

/// Waits until a session is at these tables, which a lock stops; says which.
async fn stuck(mine: &mut Conn, tables: &Tables) -> u32 {
    let sql = "select id from information_schema.processlist \
               where id <> connection_id() and command = 'Execute' and info like concat('%', ?, '%')";
    for _ in 0..2000 {
        if let Some(id) = mine.exec_first(sql, (&tables.prefix,)).await.unwrap() {
            return id;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("nobody waits for the lock");
}

/// Locks the receipt of a batch that is to wait for it.
async fn lock(mine: &mut Conn, tables: &Tables, receipt: Receipt) {
    mine.query_drop("begin").await.unwrap();
    let sql = format!("insert into {}receipt values (?, 0, 1)", tables.prefix);
    mine.exec_drop(sql, (receipt.uuid().as_bytes(),)).await.unwrap();
}

/// How often the store sent a call again.
async fn again(store: &MySqlStore) -> usize {
    let told = |finding: Finding| (finding.about == "deadlocks").then_some(finding.text);
    let text = store.check().await.unwrap().into_iter().find_map(told).unwrap();
    text.split(' ').next().unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_that_ends_before_its_commit_is_down_and_not_unknown() {
    let tables = Tables::new();
    let (store, mut mine, mut other) = (tables.open().await, connect().await, connect().await);
    let receipt = Receipt::new(1, [2, 3]);
    lock(&mut mine, &tables, receipt).await;
    let error = loop {
        let (store, add) = (store.clone(), Add { receipt: Some(receipt), ..batch(2) });
        let adding = tokio::spawn(async move { store.add(add).await });
        let session = stuck(&mut other, &tables).await;
        other.query_drop(format!("kill {session}")).await.unwrap();
        match adding.await.unwrap().unwrap_err() {
            // The kill was so late that it fell between two waits for the lock.
            StoreError::Busy(_) => {}
            error => break error,
        }
    };
    assert!(matches!(error, StoreError::Down(_)), "{error:?}");
    mine.query_drop("rollback").await.unwrap();
    assert_eq!(store.settle(receipt).await.unwrap(), Settled::Never);
    assert!(grab(&store, worker(1), 9).await.unwrap().is_empty(), "the next call works");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_waits_too_long_for_a_lock_is_sent_again_and_counted() {
    let tables = Tables::new();
    let (store, mut mine, mut other) = (tables.open().await, connect().await, connect().await);
    let receipt = Receipt::new(1, [2, 3]);
    lock(&mut mine, &tables, receipt).await;
    let add = Add { receipt: Some(receipt), ..batch(2) };
    let adding = tokio::spawn({
        let store = store.clone();
        async move { store.add(add).await }
    });
    stuck(&mut other, &tables).await;
    while again(&store).await == 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    mine.query_drop("rollback").await.unwrap();
    assert_eq!(adding.await.unwrap().unwrap().added.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_settling_that_cannot_get_through_is_busy_and_may_be_repeated() {
    let tables = Tables::new();
    let (store, mut mine) = (tables.open().await, connect().await);
    let receipt = Receipt::new(1, [5, 6]);
    // Somebody holds the receipt and neither commits nor goes: nobody remembers whose session it is.
    lock(&mut mine, &tables, receipt).await;
    let error = store.settle(receipt).await.unwrap_err();
    assert!(matches!(error, StoreError::Busy(_)), "{error:?}");
    mine.query_drop("commit").await.unwrap();
    assert_eq!(store.settle(receipt).await.unwrap(), Settled::Committed);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_call_leaves_no_transaction_open() {
    let tables = Tables::new();
    let (store, mut mine, mut other) = (tables.open().await, connect().await, connect().await);
    store.add(batch(5)).await.unwrap();
    let tasks = grab(&store, worker(1), 5).await.unwrap();
    mine.query_drop(format!("begin; select id from {}task for update", tables.prefix)).await.unwrap();
    for task in &tasks {
        let (store, finish) = (store.clone(), done(task, Retention::History));
        let call = tokio::spawn(async move { store.finish(vec![finish]).await });
        stuck(&mut other, &tables).await;
        call.abort();
        assert!(call.await.unwrap_err().is_cancelled(), "the rows are locked");
    }
    mine.query_drop("rollback").await.unwrap();
    for task in &tasks {
        // What was dropped rolls back, so each run is still its holder's.
        assert_ne!(store.finish(vec![done(task, Retention::History)]).await.unwrap(), [Finished::Lost]);
    }
    assert!(store.held(worker(1)).await.unwrap().is_empty());
}

/// A worker that was stopped in a transaction holds its own tasks until its session ends, and nobody else's.
#[tokio::test(flavor = "multi_thread")]
async fn a_reap_leaves_locked_tasks_to_the_next_sweep_and_takes_the_others() {
    let tables = Tables::new();
    let (store, mut mine) = (tables.open().await, connect().await);
    store.add(batch(3)).await.unwrap();
    let tasks = grab(&store, worker(1), 3).await.unwrap();
    let reaps = || store.finish(tasks.iter().map(reaped).collect());
    mine.query_drop("begin").await.unwrap();
    let sql = format!("select id from {}task where id = ? for update", tables.prefix);
    mine.exec_drop(sql, (tasks[1].id.uuid().as_bytes(),)).await.unwrap();
    let seen: Vec<bool> = reaps().await.unwrap().iter().map(|answer| *answer == Finished::Lost).collect();
    assert_eq!(seen, [false, true, false]);
    mine.query_drop("rollback").await.unwrap();
    let seen: Vec<bool> = reaps().await.unwrap().iter().map(|answer| *answer == Finished::Lost).collect();
    assert_eq!(seen, [true, false, true], "the others were taken before");
}

/// A store behind a wire.
async fn open_behind(wire: &Wire, tables: &Tables) -> MySqlStore {
    let url = common::url();
    let (head, tail) = url.split_once('@').unwrap();
    let (_, database) = tail.split_once('/').unwrap();
    let url = format!("{head}@127.0.0.1:{}/{database}", wire.port);
    MySqlStore::open(&url, tables.options()).await.unwrap()
}

fn server() -> String {
    let url = common::url();
    url.split_once('@').unwrap().1.split_once('/').unwrap().0.to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn idle_connections_that_were_ended_are_replaced() {
    let (tables, wire) = (Tables::new(), Wire::new(server()).await);
    let store = open_behind(&wire, &tables).await;
    store.add(batch(1)).await.unwrap();
    wire.cut();
    assert_eq!(store.buckets().await.unwrap().len(), 1);
    wire.cut();
    assert_eq!(store.add(batch(1)).await.unwrap().added.len(), 1);
}

/// A replica that lags may have taken over meanwhile, with old leases of all others.
#[tokio::test(flavor = "multi_thread")]
async fn a_session_lost_between_two_renews_breaks_the_contact_once() {
    let (tables, wire) = (Tables::new(), Wire::new(server()).await);
    let store = open_behind(&wire, &tables).await;
    let lease = Duration::from_secs(15);
    let (name, offer) = ("one".to_owned(), Offer::default());
    store.register(Register { worker: worker(1), name, build: 0, offer, lease }).await.unwrap();
    let renew = || store.renew(Renew { worker: worker(1), lease, handled: Vec::new() });
    assert!(matches!(renew().await.unwrap(), Renewed::Alive { .. }));
    wire.cut();
    let error = renew().await.unwrap_err();
    assert!(matches!(error, StoreError::Down(_)), "{error:?}");
    assert!(matches!(renew().await.unwrap(), Renewed::Alive { .. }));
}

/// Twice the longest wait for an answer: nobody may wait for one connection after the other.
const VANISHED_MAX: Duration = Duration::from_secs(40);

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_vanishes_without_a_word_ends_every_call_in_time() {
    let (tables, wire) = (Tables::new(), Wire::new(server()).await);
    let store = open_behind(&wire, &tables).await;
    let lease = Duration::from_secs(15);
    let (name, offer) = ("one".to_owned(), Offer::default());
    store.register(Register { worker: worker(1), name, build: 0, offer, lease }).await.unwrap();
    let renew = || store.renew(Renew { worker: worker(1), lease, handled: Vec::new() });
    let mut tx = store.begin().await.unwrap();
    tx.add(tasks(1)).await.unwrap();
    let session = tx.conn().id();
    // Several connections lie idle when it happens.
    let (one, other) = tokio::join!(store.add(batch(2)), store.buckets());
    assert!(one.is_ok() && other.is_ok());
    wire.go_dead().await;
    let began = Instant::now();
    let (added, listed, renewed, committed) =
        tokio::join!(store.add(batch(1)), store.buckets(), renew(), tx.commit());
    assert!(began.elapsed() < VANISHED_MAX, "{:?}", began.elapsed());
    assert!(matches!(added, Err(StoreError::Down(_))), "nothing was sent to be committed: {added:?}");
    assert!(matches!(listed, Err(StoreError::Down(_))), "{listed:?}");
    assert!(matches!(renewed, Err(StoreError::Down(_))), "{renewed:?}");
    assert!(matches!(committed, Err(StoreError::Unknown(_))), "{committed:?}");
    // Back on other connections, at once: none of the dead ones is tried again.
    let began = Instant::now();
    assert_eq!(grab(&store, worker(1), 9).await.unwrap().len(), 2);
    assert!(matches!(renew().await.unwrap(), Renewed::Alive { .. }));
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    // The server waits a minute for the rest of a caller's transaction, and the tables with it.
    run(&format!("kill {session}")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_never_greets_is_down_in_time() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("mysql://nobody@{}/steadfast", silent.local_addr().unwrap());
    let error = MySqlStore::open(&url, Options::default()).await.unwrap_err();
    assert_eq!(error.to_string(), StoreError::Down("the server did not answer for 10 s".into()).to_string());
}
