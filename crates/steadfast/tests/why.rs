//! Each answer to "why is it not running?", with the situation that it is the answer to.

// A test that cannot go on says so by a panic.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::sync::Arc;
use std::time::Duration;
use steadfast::core::seam::{Add, Store, SystemClock};
use steadfast::{
    Book, Bucket, Builder, Deed, Engine, Guard, Handler, Kind, Limit, New, Outcome, Policy, Priority, Rate,
    Retry, Room, Run, Status, TaskId, When, Why,
};
use steadfast_memory::MemoryStore;

const HOUR: Duration = Duration::from_secs(3600);

fn store() -> Arc<MemoryStore> {
    Arc::new(MemoryStore::new(Arc::new(SystemClock)))
}

async fn engine(store: &Arc<MemoryStore>, handlers: Vec<Handler>) -> Engine {
    let builder = Builder::on(store.clone(), store.clone()).configure(|config| {
        config.name = "alpha".into();
        config.slots = 3;
    });
    handlers.into_iter().fold(builder, Builder::register).start().await.unwrap()
}

/// A handler whose runs never end.
fn endless(kind: &str) -> Handler {
    Handler::of(kind, |run: Run| async move { run.cancelled().await })
}

fn failing(kind: &str, retry: Retry) -> Handler {
    let mut policy = Policy::default();
    policy.retry = retry;
    Handler::of(kind, |_: Run| async { Err::<(), _>("the partner is away") }).policy(policy)
}

async fn add(engine: &Engine, new: New) -> TaskId {
    engine.add(new).await.unwrap().id
}

fn task(kind: &str) -> New {
    New::kind(kind, "")
}

/// Waits until the answer is of the wanted sort, and says it in words.
async fn said(engine: &Engine, id: TaskId, wanted: impl Fn(&Why) -> bool) -> String {
    let look = async {
        loop {
            let why = engine.why(id).await.unwrap().unwrap();
            if wanted(&why) {
                return why.to_string();
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let Ok(text) = tokio::time::timeout(Duration::from_secs(20), look).await else {
        panic!("said only: {}", engine.why(id).await.unwrap().unwrap());
    };
    text
}

async fn status(engine: &Engine, id: TaskId) -> Status {
    engine.get(id).await.unwrap().unwrap().status
}

async fn act(engine: &Engine, id: TaskId, deed: Deed) {
    let version = engine.get(id).await.unwrap().unwrap().version;
    engine.act(id, Guard::Version(version), deed).await.unwrap();
}

macro_rules! is {
    ($pattern:pat) => {
        |why: &Why| matches!(why, $pattern)
    };
}

#[tokio::test]
async fn a_task_of_the_future_waits_until_its_time() {
    let engine = engine(&store(), vec![endless("mail")]).await;
    let id = add(&engine, task("mail").after(3 * HOUR)).await;
    let text = said(&engine, id, is!(Why::Waits { .. })).await;
    assert!(text.starts_with("waits until 20") && text.contains("Z (in 2 h 59 min)"), "{text}");
}

#[tokio::test]
async fn a_failed_task_waits_for_its_next_try() {
    let retry = Retry::list([HOUR, HOUR, HOUR, HOUR]);
    let engine = engine(&store(), vec![failing("pay", retry)]).await;
    let id = add(&engine, task("pay")).await;
    let text = said(&engine, id, is!(Why::Waits { .. })).await;
    assert!(text.ends_with("(in 59 min 59 s) after failure 1 of 5"), "{text}");
}

#[tokio::test]
async fn a_full_kind_is_named_with_its_limit_and_its_oldest_run() {
    let engine = engine(&store(), vec![endless("pay").limit(2)]).await;
    add(&engine, task("pay|A")).await;
    add(&engine, task("pay|B")).await;
    let id = add(&engine, task("pay|C")).await;
    let text = said(&engine, id, is!(Why::KindFull { running: 2, .. })).await;
    assert!(text.starts_with("kind `pay` is full (2 of 2, oldest since "), "{text}");
}

#[tokio::test]
async fn a_partner_that_is_full_is_named_by_its_suffix_and_the_urgent_go_over_it() {
    let handler = endless("pay").limit(Limit::each(1).stretch(0, 100));
    let engine = engine(&store(), vec![handler]).await;
    add(&engine, task("pay|A")).await;
    let id = add(&engine, task("pay|A")).await;
    let text = said(&engine, id, is!(Why::KindFull { running: 1, .. })).await;
    assert!(text.starts_with("kind `pay|A` is full (1 of 1, oldest since "), "{text}");
    let urgent = add(&engine, task("pay|A").priority(0)).await;
    said(&engine, urgent, is!(Why::Runs { .. })).await;
}

#[tokio::test]
async fn a_full_limit_that_kinds_share_is_named() {
    let shared = |kind| endless(kind).limit(Limit::named("partners", 2));
    let engine = engine(&store(), vec![shared("pay"), shared("refund")]).await;
    add(&engine, task("pay")).await;
    add(&engine, task("refund")).await;
    let id = add(&engine, task("pay")).await;
    let text = said(&engine, id, is!(Why::LimitFull { running: 2, .. })).await;
    assert!(text.starts_with("limit `partners` is full (2 of 2, oldest since "), "{text}");
}

#[tokio::test]
async fn a_kind_whose_starts_are_paced_says_how() {
    let engine = engine(&store(), vec![endless("sms").limit(Limit::own(3).rate(Rate::new(1, HOUR)))]).await;
    let first = add(&engine, task("sms")).await;
    said(&engine, first, is!(Why::Runs { .. })).await;
    let id = add(&engine, task("sms")).await;
    let text = said(&engine, id, is!(Why::Paced { .. })).await;
    assert_eq!(text, "ready; of kind `sms` no more than 1 in 1 h may start in a worker");
}

#[tokio::test]
async fn a_kind_with_a_book_waits_for_it() {
    /// Lets nobody in.
    struct Shut;
    impl Book for Shut {
        fn book(&self, _: &Kind, _: Priority) -> Room {
            Room::No { again_in: None }
        }
        fn free(&self, _: &Kind) {}
    }
    let engine = engine(&store(), vec![endless("pay").book(Arc::new(Shut))]).await;
    let id = add(&engine, task("pay")).await;
    let text = said(&engine, id, is!(Why::Booked { .. })).await;
    assert_eq!(text, "ready; it starts when the book of kind `pay` lets it");
}

#[tokio::test]
async fn a_full_limit_of_the_cluster_is_named() {
    let store = store();
    let limited = || vec![endless("pay").cluster_limit("partners", 2)];
    let (one, two) = (engine(&store, limited()).await, engine(&store, limited()).await);
    let first = add(&one, task("pay")).await;
    let second = add(&two, task("pay")).await;
    said(&one, first, is!(Why::Runs { .. })).await;
    said(&one, second, is!(Why::Runs { .. })).await;
    let id = add(&one, task("pay")).await;
    let text = said(&two, id, is!(Why::ClusterFull { .. })).await;
    assert_eq!(text, "limit `partners` of the cluster is full (2 of 2)");
}

#[tokio::test]
async fn full_workers_are_counted() {
    let engine = engine(&store(), vec![endless("pay"), endless("mail")]).await;
    for _ in 0..3 {
        add(&engine, task("pay")).await;
    }
    let id = add(&engine, task("mail")).await;
    let text = said(&engine, id, is!(Why::WorkersFull { running: 3, .. })).await;
    assert_eq!(text, "all workers that handle its kind are full (3 of 3 slots)");
}

#[tokio::test]
async fn a_kind_that_nobody_handles_is_named() {
    let engine = engine(&store(), vec![endless("mail")]).await;
    let id = add(&engine, task("fax")).await;
    assert_eq!(said(&engine, id, is!(Why::NoWorker { .. })).await, "no live worker handles kind `fax`");
}

#[tokio::test]
async fn a_paused_bucket_is_named_and_lets_go_when_released() {
    let engine = engine(&store(), vec![Handler::of("mail", |_: Run| async {})]).await;
    engine.pause_bucket(Bucket::default()).await.unwrap();
    // A key keeps it from being born running before the worker has heard of the pause.
    let id = add(&engine, task("mail").key("once")).await;
    let text = said(&engine, id, is!(Why::BucketPaused { .. })).await;
    assert_eq!(text, "bucket `default` is paused by an operator; release it to go on");
    engine.release_bucket(Bucket::default()).await.unwrap();
    said(&engine, id, is!(Why::Ended { status: Status::Done, .. })).await;
}

#[tokio::test]
async fn a_task_behind_its_serial_key_names_the_head() {
    let engine = engine(&store(), vec![failing("pay", Retry::none())]).await;
    let head = add(&engine, task("pay").serial("account 7")).await;
    let id = add(&engine, task("pay").serial("account 7")).await;
    said(&engine, head, is!(Why::Error { .. })).await;
    let text = said(&engine, id, is!(Why::Behind { head: Some((_, Status::Error)), .. })).await;
    assert_eq!(text, format!("behind serial key `account 7` (head {head} is in error)"));
}

#[tokio::test]
async fn a_key_without_a_head_waits_to_be_handed_on() {
    let store = store();
    let engine = engine(&store, Vec::new()).await;
    // Added in a transaction of the caller's own: nobody was told.
    let new = engine.prepare(task("pay").serial("account 7")).await.unwrap();
    let id = new.id;
    let _ = store.add(Add { tasks: vec![new], ..Add::default() }).await.unwrap();
    let text = said(&engine, id, is!(Why::Behind { head: None, .. })).await;
    assert_eq!(text, "behind serial key `account 7`; it is handed on within a second by a live worker");
}

#[tokio::test]
async fn a_task_that_an_operator_paused_says_so() {
    let engine = engine(&store(), Vec::new()).await;
    let id = add(&engine, task("pay")).await;
    act(&engine, id, Deed::Pause).await;
    assert_eq!(said(&engine, id, is!(Why::Paused)).await, "paused by an operator; release it to let it run");
}

#[tokio::test]
async fn a_running_task_names_its_worker() {
    let engine = engine(&store(), vec![endless("pay")]).await;
    let id = add(&engine, task("pay")).await;
    let text = said(&engine, id, is!(Why::Runs { .. })).await;
    assert!(text.starts_with("it runs on alpha since 20"), "{text}");
}

#[tokio::test]
async fn a_parked_task_says_until_when() {
    let park = |_: Run| async { Outcome::Later { until: When::After(HOUR) } };
    let engine = engine(&store(), vec![Handler::of("pay", park)]).await;
    let id = add(&engine, task("pay")).await;
    let text = said(&engine, id, is!(Why::Parked { .. })).await;
    assert!(text.starts_with("parked: whoever has its token finishes it; a failure at 20"), "{text}");
}

#[tokio::test]
async fn a_task_in_error_says_what_went_wrong() {
    let engine = engine(&store(), vec![failing("pay", Retry::none())]).await;
    let id = add(&engine, task("pay")).await;
    let text = said(&engine, id, is!(Why::Error { .. })).await;
    assert_eq!(text, "in error, waits for a person: the partner is away");
}

#[tokio::test]
async fn an_ended_task_says_how() {
    let engine = engine(&store(), vec![Handler::of("mail", |_: Run| async {})]).await;
    let id = add(&engine, task("mail")).await;
    let text = said(&engine, id, is!(Why::Ended { .. })).await;
    assert!(text.starts_with("it ended: done at 20"), "{text}");
    assert_eq!(status(&engine, id).await, Status::Done);
}

#[tokio::test]
async fn a_due_task_that_nobody_makes_ready_says_how_late_it_is() {
    let engine = engine(&store(), Vec::new()).await;
    let id = add(&engine, task("mail").after(Duration::from_millis(1))).await;
    let text = said(&engine, id, is!(Why::Overdue { .. })).await;
    assert!(text.ends_with("ago; no worker is alive to make it ready"), "{text}");
}

#[tokio::test]
async fn a_task_that_is_next_says_so_and_an_unknown_one_nothing() {
    let (store, other) = (store(), store());
    let worker = engine(&store, vec![endless("pay")]).await;
    let id = add(&worker, task("pay").key("k")).await;
    said(&worker, id, is!(Why::Soon | Why::Runs { .. })).await;
    assert_eq!(engine(&other, Vec::new()).await.why(id).await.unwrap(), None);
}
