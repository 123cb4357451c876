//! The engine on SQLite: what differs from memory is that it stays, and that others may open the same file.
// A test that cannot go on says so by a panic.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::path::Path;
use std::time::{Duration, Instant};
use steadfast::{BoxError, Error, Handler, New, Outcome, Policy, Retention, Run, Status, StoreError};
use tokio::sync::mpsc;

fn url(folder: &tempfile::TempDir) -> String {
    format!("sqlite:{}", folder.path().join("tasks.db").display())
}

async fn refusal(url: &str) -> String {
    match steadfast::connect(url).await {
        Err(Error::Store(StoreError::Refused(refusal))) => refusal.to_string(),
        other => panic!("not refused: {other:?}"),
    }
}

#[tokio::test]
async fn a_task_outlives_its_engine() {
    let folder = tempfile::tempdir().unwrap();
    let first = steadfast::connect(&url(&folder)).await.unwrap().start().await.unwrap();
    let added = first.add(New::kind("stays", "body")).await.unwrap();
    drop(first);
    let (heard, mut told) = mpsc::unbounded_channel();
    let handler = Handler::of("stays", move |run: Run| {
        let heard = heard.clone();
        async move { heard.send((run.task().id, run.bytes().to_vec())).unwrap() }
    });
    let second = steadfast::connect(&url(&folder)).await.unwrap().register(handler).start().await.unwrap();
    assert_eq!(told.recv().await, Some((added.id, b"body".to_vec())));
    assert_eq!(second.drain().await.unwrap().given_back, 0);
    assert_eq!(second.get(added.id).await.unwrap().unwrap().status, Status::Done);
}

/// Two stores on one file are to each other what two processes are: they share nothing but the file.
// L-16.
#[tokio::test(flavor = "multi_thread")]
async fn a_task_of_another_process_is_picked_up_within_50_ms() {
    let folder = tempfile::tempdir().unwrap();
    let (heard, mut told) = mpsc::unbounded_channel();
    let handler = Handler::of("far", move |_: Run| {
        let heard = heard.clone();
        async move { heard.send(Instant::now()).unwrap() }
    });
    let _worker = steadfast::connect(&url(&folder)).await.unwrap().register(handler).start().await.unwrap();
    let caller = steadfast::connect(&url(&folder)).await.unwrap().start().await.unwrap();
    let mut took = Vec::new();
    for _ in 0..21 {
        caller.add(New::kind("far", "")).await.unwrap();
        let added = Instant::now();
        took.push(told.recv().await.unwrap().saturating_duration_since(added));
    }
    took.sort();
    assert!(took[10] <= Duration::from_millis(50), "median {:?}, worst {:?}", took[10], took[20]);
}

/// As under a timeout: the save was sent, and nobody waits for its answer.
#[tokio::test(flavor = "multi_thread")]
async fn a_next_step_goes_on_with_what_was_saved_though_nobody_waited_for_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    let looking = steadfast::connect(&url(&folder)).await.unwrap().start().await.unwrap();
    let (heard, mut told) = mpsc::unbounded_channel();
    let handler = Handler::of("count", move |run: Run| {
        let (heard, looking) = (heard.clone(), looking.clone());
        async move {
            if run.task().step.is_some() {
                heard.send(run.payload::<u64>()?).unwrap();
                return Ok::<_, BoxError>(Outcome::Done);
            }
            drop(tokio::time::timeout(Duration::ZERO, run.save(&2)).await);
            let saved = async || looking.get(run.task().id).await.map(|task| task.unwrap().payload.unwrap());
            while *saved().await?.bytes != *b"2" {
                tokio::task::yield_now().await;
            }
            Ok(Outcome::step("second"))
        }
    });
    let engine = steadfast::connect(&url(&folder)).await.unwrap().register(handler).start().await.unwrap();
    engine.add(New::json("count", &1)).await.unwrap();
    assert_eq!(told.recv().await, Some(2));
}

/// Nothing can be written while somebody else holds the file, and no lease renewed.
// L-31.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_told_to_stop_before_a_lease_ends_that_cannot_be_renewed() {
    const LEASE: Duration = Duration::from_secs(2);
    let folder = tempfile::tempdir().unwrap();
    let (heard, mut told) = mpsc::unbounded_channel();
    let waits = Handler::of("waits", move |run: Run| {
        let heard = heard.clone();
        async move {
            if run.task().grant.get() > 1 {
                return Ok(());
            }
            heard.send(Instant::now()).unwrap();
            run.cancelled().await;
            heard.send(Instant::now()).unwrap();
            Err("told to stop")
        }
    });
    let builder = steadfast::connect(&url(&folder)).await.unwrap().register(waits);
    let engine = builder.configure(|config| config.lease = LEASE).start().await.unwrap();
    let id = engine.add(New::kind("waits", "")).await.unwrap().id;
    told.recv().await.unwrap();
    let other = rusqlite::Connection::open(folder.path().join("tasks.db")).unwrap();
    other.execute_batch("begin immediate").unwrap();
    let held_at = Instant::now();
    let stopped_at = told.recv().await.unwrap();
    other.execute_batch("rollback").unwrap();
    assert!(stopped_at < held_at + LEASE, "stopped after {:?}", stopped_at - held_at);
    assert_eq!(engine.wait(id).await.unwrap().unwrap().status, Status::Done);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payload_of_sixteen_megabytes_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let (heard, mut told) = mpsc::unbounded_channel();
    let mut policy = Policy::default();
    policy.retention = Retention::Delete;
    let handler = Handler::of("large", move |run: Run| {
        let heard = heard.clone();
        async move { heard.send(run.bytes().to_vec()).unwrap() }
    });
    let engine = steadfast::connect(&url(&folder))
        .await
        .unwrap()
        .register(handler.policy(policy))
        .start()
        .await
        .unwrap();
    for bytes in [0, 65_536, 65_537, 16 * 1024 * 1024] {
        let payload: Vec<u8> = (0..=255).cycle().take(bytes).collect();
        engine.add(New::kind("large", payload.clone())).await.unwrap();
        assert!(told.recv().await.unwrap() == payload, "{bytes} bytes");
    }
    let over = engine.add(New::kind("large", vec![0; 16 * 1024 * 1024 + 1])).await.unwrap_err();
    assert!(over.to_string().contains("over the limit of 16777216"), "{over}");
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tasks.db");
    let text = "this is a letter, not a database\n".repeat(100);
    std::fs::write(&path, &text).unwrap();
    let said = refusal(&url(&folder)).await;
    assert!(said.contains("tasks.db") && said.contains("not a database"), "{said}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

#[tokio::test]
async fn a_folder_that_is_not_there_is_named() {
    let said = refusal("sqlite:no/such/folder/tasks.db").await;
    assert!(said.contains("no/such/folder"), "{said}");
}

#[tokio::test]
async fn a_database_of_a_newer_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    drop(steadfast::connect(&url(&folder)).await.unwrap());
    let database = rusqlite::Connection::open(Path::new(&folder.path().join("tasks.db"))).unwrap();
    database.execute_batch("update steadfast_schema set version = version + 1").unwrap();
    let said = refusal(&url(&folder)).await;
    assert!(said.contains("a later steadfast wrote it"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_added_in_the_callers_transaction_shares_its_fate() {
    use steadfast::sqlite::rusqlite::{Connection, TransactionBehavior};
    let folder = tempfile::tempdir().unwrap();
    let (heard, mut told) = mpsc::unbounded_channel();
    let handler = Handler::of("ship", move |run: Run| {
        let heard = heard.clone();
        async move { heard.send(String::from_utf8(run.bytes().to_vec()).unwrap()).unwrap() }
    });
    let engine = steadfast::connect(&url(&folder)).await.unwrap().register(handler).start().await.unwrap();
    let mut mine = Connection::open(folder.path().join("tasks.db")).unwrap();
    mine.execute_batch("create table orders (name text)").unwrap();
    for (name, commits) in [("rolled back", false), ("committed", true)] {
        let task = engine.prepare(New::kind("ship", name)).await.unwrap();
        let tx = mine.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
        tx.execute("insert into orders values (?1)", [name]).unwrap();
        steadfast::sqlite::add_in(&tx, vec![task], engine_time()).unwrap();
        if commits { tx.commit().unwrap() } else { tx.rollback().unwrap() }
    }
    assert_eq!(told.recv().await.as_deref(), Some("committed"));
    let orders: i64 = mine.query_row("select count(*) from orders", [], |row| row.get(0)).unwrap();
    assert_eq!(orders, 1);
    let task = engine.prepare(New::kind("ship", "deferred")).await.unwrap();
    let tx = mine.transaction().unwrap();
    let refused = steadfast::sqlite::add_in(&tx, vec![task], engine_time()).unwrap_err();
    assert!(refused.to_string().to_lowercase().contains("immediate"), "{refused}");
}

fn engine_time() -> steadfast::Time {
    use steadfast::core::Clock;
    steadfast::core::seam::SystemClock.now()
}

/// A disk of a few megabytes; none where mounting is not allowed.
struct Disk(tempfile::TempDir);

impl Disk {
    fn mount(options: &str) -> Option<Self> {
        let disk = Self(tempfile::tempdir().unwrap());
        let mount = ["-t", "tmpfs", "-o", options, "tmpfs"];
        let mounted = std::process::Command::new("mount").args(mount).arg(disk.0.path()).status();
        if !mounted.is_ok_and(|status| status.success()) {
            println!("not shown: only root may mount a small disk");
            return None;
        }
        Some(disk)
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}

#[tokio::test]
async fn a_folder_that_cannot_be_written_to_is_refused() {
    let Some(disk) = Disk::mount("ro,size=1m") else { return };
    let said = refusal(&url(&disk.0)).await;
    assert!(said.contains("tasks.db") && said.contains("allow writing"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_is_named_loses_nothing_and_passes() {
    let Some(disk) = Disk::mount("size=8m") else { return };
    let ballast = disk.0.path().join("ballast");
    std::fs::write(&ballast, vec![0; 4 * 1024 * 1024]).unwrap();
    let engine = steadfast::connect(&url(&disk.0)).await.unwrap().start().await.unwrap();
    let new = || New::kind("keep", vec![7; 50_000]);
    let mut added = Vec::new();
    let error = loop {
        match engine.add(new()).await {
            Ok(one) => added.push(one.id),
            Err(error) => break error,
        }
        assert!(added.len() < 1000, "the disk never fills");
    };
    assert!(matches!(error, Error::Store(StoreError::Down(_))), "{error:?}");
    assert!(error.to_string().contains("disk is full; make room"), "{error}");
    std::fs::remove_file(&ballast).unwrap();
    added.push(engine.add(new()).await.unwrap().id);
    for id in added {
        assert_eq!(engine.get(id).await.unwrap().unwrap().payload.unwrap().len(), 50_000);
    }
}
