//! Effects in the same database: committed together with the end of their run, or not at all.
// A test that cannot go on says so by a panic.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use steadfast::core::{Clock, seam::SystemClock};
use steadfast::sqlite::{self, SqliteStore, rusqlite::Connection};
use steadfast::{BoxError, Engine, Handler, New, Outcome, Policy, Retry, Run, Status, Task};

/// An engine on a file with a table of the user's own.
struct Shop {
    path: PathBuf,
    _folder: tempfile::TempDir,
}

impl Shop {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("shop.db");
        Connection::open(&path).unwrap().execute_batch("create table paid (n integer)").unwrap();
        Self { path, _folder: folder }
    }

    /// An engine whose runs of the kind `pay` write a row and end as the function says, with one retry.
    async fn engine<F>(&self, work: F) -> Engine
    where
        F: Fn(&Connection) -> Result<Outcome, BoxError> + Send + Sync + 'static,
    {
        let work = Arc::new(work);
        let mut policy = Policy::default();
        policy.retry = Retry::immediate(1);
        let pay = Handler::of("pay", move |_: Run| {
            let work = work.clone();
            async move {
                sqlite::effects(move |db| {
                    db.execute("insert into paid values (1)", [])?;
                    work(db)
                })
            }
        });
        let url = format!("sqlite:{}", self.path.display());
        let builder = steadfast::connect(&url).await.unwrap().configure(|config| {
            config.lease = Duration::from_secs(2);
        });
        builder.register(pay.policy(policy)).start().await.unwrap()
    }

    fn rows(&self) -> i64 {
        let db = Connection::open(&self.path).unwrap();
        db.query_row("select count(*) from paid", [], |row| row.get(0)).unwrap()
    }

    /// Runs one task of the kind to its end.
    async fn check<F>(&self, work: F, status: Status, rows: i64) -> Task
    where
        F: Fn(&Connection) -> Result<Outcome, BoxError> + Send + Sync + 'static,
    {
        let engine = self.engine(work).await;
        let added = engine.add(New::kind("pay", "")).await.unwrap();
        let task = engine.wait(added.id).await.unwrap().unwrap();
        assert_eq!((task.status, self.rows()), (status, rows), "{:?}", task.errors);
        engine.drain().await.map(drop).unwrap();
        task
    }
}

fn last_error(task: &Task) -> String {
    task.errors.last().unwrap_or_default().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn effects_and_end_are_committed_together() {
    Shop::new().check(|_| Ok(Outcome::Done), Status::Done, 1).await;
}

// M-17.
#[tokio::test(flavor = "multi_thread")]
async fn effects_that_fail_are_taken_back_and_tried_again_by_policy() {
    let task = Shop::new().check(|_| Err("no money".into()), Status::Error, 0).await;
    assert_eq!((task.failures, last_error(&task)), (2, "no money".into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn effects_that_panic_are_taken_back_and_the_store_goes_on() {
    let shop = Shop::new();
    let task = shop.check(|_| panic!("on purpose"), Status::Error, 0).await;
    assert_eq!(last_error(&task), "panic: on purpose");
    shop.check(|_| Ok(Outcome::Done), Status::Done, 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn effects_that_take_too_long_are_interrupted_and_taken_back() {
    let endless = "with recursive n (i) as (select 1 union all select i + 1 from n) select count(*) from n";
    let work = move |db: &Connection| {
        db.query_row(endless, [], |_| Ok(()))?;
        Ok(Outcome::Done)
    };
    let task = Shop::new().check(work, Status::Error, 0).await;
    assert!(last_error(&task).contains("interrupted"), "{}", last_error(&task));
}

/// SQLite rolls all back when it interrupts a write: whatever else was to be committed with it goes on all the same.
#[tokio::test(flavor = "multi_thread")]
async fn a_write_that_takes_too_long_is_taken_back_alone() {
    let shop = Shop::new();
    let endless =
        "insert into paid with recursive n (i) as (select 1 union all select i + 1 from n) select i from n";
    let engine = shop.engine(move |db| Ok(db.execute(endless, []).map(|_| Outcome::Done)?)).await;
    let late = engine.add(New::kind("pay", "")).await.unwrap();
    // All of these are added while the writer is busy with those effects, or beside them.
    for n in 0..50 {
        engine.add(New::kind("nobody's", n.to_string())).await.unwrap();
    }
    let task = engine.wait(late.id).await.unwrap().unwrap();
    assert_eq!((task.status, shop.rows()), (Status::Error, 0), "{:?}", task.errors);
    shop.check(|_| Ok(Outcome::Done), Status::Done, 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn effects_cannot_end_the_transaction() {
    for end in ["commit", "rollback"] {
        let work = move |db: &Connection| {
            db.execute_batch(end)?;
            Ok(Outcome::Done)
        };
        let task = Shop::new().check(work, Status::Error, 0).await;
        assert!(last_error(&task).contains("not authorized"), "{}", last_error(&task));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn effects_cannot_ask_the_engine_for_anything() {
    let shop = Shop::new();
    let other: Arc<std::sync::OnceLock<Engine>> = Arc::default();
    let (asked, runtime) = (other.clone(), tokio::runtime::Handle::current());
    let work = move |_: &Connection| {
        let engine = asked.get().ok_or("no engine")?;
        runtime.block_on(engine.add(New::kind("pay", "")))?;
        Ok(Outcome::Done)
    };
    let engine = shop.engine(work).await;
    other.set(engine.clone()).unwrap();
    let added = engine.add(New::kind("pay", "")).await.unwrap();
    let task = engine.wait(added.id).await.unwrap().unwrap();
    assert_eq!(task.status, Status::Error);
    assert!(last_error(&task).contains("use the run's transaction"), "{}", last_error(&task));
}

#[tokio::test(flavor = "multi_thread")]
async fn effects_cannot_wait_for_a_save_of_their_run() {
    let (shop, runtime) = (Shop::new(), tokio::runtime::Handle::current());
    let pay = Handler::of("pay", move |run: Run| {
        let runtime = runtime.clone();
        async move {
            sqlite::effects(move |_| {
                runtime.block_on(run.progress("half"))?;
                Ok(Outcome::Done)
            })
        }
    });
    let mut policy = Policy::default();
    policy.retry = Retry::immediate(1);
    let url = format!("sqlite:{}", shop.path.display());
    let builder = steadfast::connect(&url).await.unwrap().register(pay.policy(policy));
    let engine = builder.start().await.unwrap();
    let added = engine.add(New::kind("pay", "")).await.unwrap();
    let task = engine.wait(added.id).await.unwrap().unwrap();
    assert_eq!(task.status, Status::Error);
    assert!(last_error(&task).contains("use the run's transaction"), "{}", last_error(&task));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_added_by_effects_shares_their_fate_and_runs_at_once() {
    let shop = Shop::new();
    let parent = Handler::of("parent", |run: Run| async move {
        let child = run.prepare(New::kind("child", "")).await?;
        let id = child.id;
        run.output(id.to_string());
        Ok::<_, BoxError>(sqlite::effects(move |db| {
            sqlite::add_in(db, vec![child.clone()], SystemClock.now())?;
            Ok(Outcome::Done)
        }))
    });
    let (heard, mut told) = tokio::sync::mpsc::unbounded_channel();
    let child = Handler::of("child", move |run: Run| {
        let heard = heard.clone();
        async move { heard.send((run.task().id, run.task().parent)) }
    });
    let url = format!("sqlite:{}", shop.path.display());
    let builder = steadfast::connect(&url).await.unwrap().configure(|config| {
        // So that only word of it can be why it starts.
        config.sweep = Duration::from_secs(60);
    });
    let engine = builder.register(parent).register(child).start().await.unwrap();
    assert!(engine.store::<SqliteStore>().is_ok());
    let added = engine.add(New::kind("parent", "")).await.unwrap();
    let (id, of) = told.recv().await.unwrap();
    assert_eq!(of, Some(added.id));
    let parent = engine.wait(added.id).await.unwrap().unwrap();
    assert_eq!(parent.output, Some(id.to_string()));
}

#[tokio::test]
async fn effects_of_another_store_end_the_task_in_error() {
    let pay = Handler::of("pay", |_: Run| async { sqlite::effects(|_| Ok(Outcome::Done)) });
    let engine = steadfast::connect("memory:").await.unwrap().register(pay).start().await.unwrap();
    let added = engine.add(New::kind("pay", "")).await.unwrap();
    let task = engine.wait(added.id).await.unwrap().unwrap();
    assert!(last_error(&task).contains("made for sqlite"), "{}", last_error(&task));
}
