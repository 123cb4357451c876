//! Several stores on one file, as several programs open it.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says so by panicking")]

mod common;

use common::{batch, block_on, done, file, grab, open, worker};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::{Duration, Instant};
use steadfast_core::seam::Finished;
use steadfast_core::{Hint, Hints, Retention, Store, TaskId};
use steadfast_sqlite::SqliteStore;

const TASKS: usize = 10_000;

/// Takes and ends all that it can get. Panics at any error, so also when it is told that the file is busy.
fn drain(path: &PathBuf, no: u64) -> Vec<TaskId> {
    let store = open(path);
    block_on(async {
        let mut ended = Vec::new();
        loop {
            let tasks = grab(&store, worker(no), 100).await.unwrap();
            if tasks.is_empty() {
                return ended;
            }
            let ends = tasks.iter().map(|task| done(task, Retention::Delete)).collect();
            let finished = store.finish(ends).await.unwrap();
            assert!(!finished.contains(&Finished::Lost));
            ended.extend(tasks.iter().map(|task| task.id));
        }
    })
}

#[test]
fn two_stores_on_one_file_share_out_its_tasks_exactly_once() {
    let (_folder, path) = file();
    let store = open(&path);
    let mut all = HashSet::new();
    for _ in 0..TASKS / 500 {
        let added = block_on(store.add(batch(500))).unwrap().added;
        all.extend(added.into_iter().map(|added| added.id));
    }
    let shares: Vec<Vec<TaskId>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (1..=2)
            .map(|no| {
                scope.spawn({
                    let path = &path;
                    move || drain(path, no)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(shares.iter().all(|share| !share.is_empty()), "nobody starves");
    let ended: Vec<TaskId> = shares.concat();
    assert_eq!(ended.len(), TASKS, "none twice");
    assert_eq!(ended.into_iter().collect::<HashSet<_>>(), all, "none forgotten");
}

#[test]
fn a_run_that_is_over_does_not_end_the_one_that_has_its_place() {
    let (_folder, path) = file();
    let (store, other) = (open(&path), open(&path));
    block_on(async {
        store.add(batch(10)).await.unwrap();
        let runs = grab(&store, worker(1), 10).await.unwrap();
        let gone = runs.last().unwrap();
        // Elsewhere the last row goes, and the next task gets its place, its worker and its grant.
        other.finish(vec![done(gone, Retention::Delete)]).await.unwrap();
        other.add(batch(1)).await.unwrap();
        let [next] = grab(&other, worker(1), 1).await.unwrap().try_into().unwrap();
        assert_eq!((next.seq, next.grant), (gone.seq, gone.grant));
        let late = runs.iter().map(|run| done(run, Retention::Delete)).collect();
        let finished = store.finish(late).await.unwrap();
        let lost: Vec<bool> = finished.iter().map(|finished| *finished == Finished::Lost).collect();
        assert_eq!(lost, [false, false, false, false, false, false, false, false, false, true]);
        let finished = other.finish(vec![done(&next, Retention::Delete)]).await.unwrap();
        assert!(matches!(finished[..], [Finished::Accepted { .. }]), "{finished:?}");
    });
}

/// The variable by which a parent tells its child the file to drain.
const FILE: &str = "STEADFAST_TEST_FILE";

#[test]
fn two_programs_share_out_the_tasks_of_a_file_exactly_once() {
    let (_folder, path) = file();
    let store = open(&path);
    for _ in 0..TASKS / 500 {
        block_on(store.add(batch(500))).unwrap();
    }
    let child = || {
        std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "drains_for_its_parent", "--ignored", "--nocapture"])
            .env(FILE, &path)
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap()
    };
    let children = [child(), child()];
    let mut ended: Vec<String> = Vec::new();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "a child was told that the file is busy");
        let text = String::from_utf8(output.stdout).unwrap();
        ended.extend(text.lines().filter_map(|line| line.strip_prefix("ended ")).map(str::to_owned));
    }
    assert_eq!(ended.len(), TASKS, "none forgotten");
    assert_eq!(ended.into_iter().collect::<HashSet<_>>().len(), TASKS, "none twice");
}

#[test]
#[ignore = "the child of another test"]
fn drains_for_its_parent() {
    let Some(path) = std::env::var_os(FILE) else { return };
    for id in drain(&path.into(), std::process::id().into()) {
        println!("ended {id}");
    }
}

#[test]
fn several_stores_may_make_the_schema_at_once() {
    let (_folder, path) = file();
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                let store = open(&path);
                block_on(store.add(batch(1))).unwrap();
            });
        }
    });
    assert_eq!(block_on(grab(&open(&path), worker(1), 100)).unwrap().len(), 6);
}

/// Adds with one store until the other has heard of it; says how long that took.
fn wake(adder: &SqliteStore, heard: &mpsc::Receiver<Hint>) -> Duration {
    while heard.try_recv().is_ok() {}
    block_on(adder.add(batch(1))).unwrap();
    let since = Instant::now();
    assert_eq!(heard.recv_timeout(Duration::from_secs(10)), Ok(Hint::LookAll));
    since.elapsed()
}

#[test]
fn a_store_hears_within_50_ms_of_what_another_commits() {
    let (_folder, path) = file();
    let (adder, listener) = (open(&path), open(&path));
    let (sender, heard) = mpsc::channel();
    listener.listen(Box::new(move |hint| sender.send(hint).is_ok()));
    let mut waits: Vec<Duration> = (0..15).map(|_| wake(&adder, &heard)).collect();
    waits.sort();
    assert!(waits[waits.len() / 2] < Duration::from_millis(50), "{waits:?}");
}

#[test]
fn a_store_does_not_ring_for_its_own_commits() {
    let (_folder, path) = file();
    let store = open(&path);
    let (sender, heard) = mpsc::channel();
    store.listen(Box::new(move |hint| sender.send(hint).is_ok()));
    block_on(store.add(batch(1))).unwrap();
    assert!(heard.recv_timeout(Duration::from_millis(200)).is_err());
}

#[test]
fn the_last_handle_ends_the_threads_when_all_is_written() {
    let (_folder, path) = file();
    let store = open(&path);
    block_on(store.workers()).unwrap();
    // Nobody waits for the answer: the work is in line all the same.
    drop(store.add(batch(100)));
    drop((store.clone(), store));
    assert!(!path.with_extension("db-wal").exists(), "the log goes with the last connection");
    assert_eq!(block_on(grab(&open(&path), worker(1), 200)).unwrap().len(), 100);
}

#[test]
fn an_ear_may_hold_the_last_handle() {
    let (_folder, path) = file();
    let (store, other) = (open(&path), open(&path));
    let held = std::sync::Mutex::new(Some(store.clone()));
    store.listen(Box::new(move |_| {
        drop(held.lock().unwrap().take());
        false
    }));
    drop(store);
    block_on(other.add(batch(1))).unwrap();
    let since = Instant::now();
    drop(other);
    while path.with_extension("db-wal").exists() {
        assert!(since.elapsed() < Duration::from_secs(10), "the writer could not end itself");
        std::thread::yield_now();
    }
}
