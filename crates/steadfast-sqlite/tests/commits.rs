//! How calls gather into commits, and what a commit that cannot be written leaves behind.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says so by panicking")]

mod common;

use common::{batch, block_on, done, file, grab, open, task, tasks, worker};
use steadfast_core::seam::{Add, Added, Finished};
use steadfast_core::{Filter, Key, NewTask, Receipt, Refusal, Retention, Store, StoreError};
use steadfast_sqlite::{Call, Options, SqliteStore};

#[test]
fn calls_that_come_together_share_a_commit() {
    let (_folder, path) = file();
    let store = open(&path);
    let answers: Vec<_> = (0..200).map(|_| store.add(batch(1))).collect();
    for answer in answers {
        block_on(answer).unwrap();
    }
    let counters = store.counters();
    assert_eq!(counters.of(Call::Add).calls, 200);
    assert!(counters.commits < 100, "{} commits", counters.commits);
}

#[test]
fn a_call_that_fails_does_not_spoil_its_neighbours() {
    let (_folder, path) = file();
    let store = open(&path);
    let receipt = Receipt::new(1, [1, 1]);
    let answers: Vec<_> =
        (0..50).map(|_| store.add(Add { tasks: tasks(2), births: None, receipt: Some(receipt) })).collect();
    let results: Vec<_> = answers.into_iter().map(block_on).collect();
    let refused = StoreError::Refused(Refusal::Receipt(receipt.uuid())).to_string();
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    let texts = results.into_iter().filter_map(Result::err).map(|error| error.to_string());
    assert!(texts.into_iter().all(|text| text == refused));
    assert_eq!(block_on(grab(&store, worker(1), 100)).unwrap().len(), 2, "one batch, whole");
}

#[test]
fn a_batch_keeps_its_order_whatever_its_tasks_have() {
    let (_folder, path) = file();
    let store = open(&path);
    let mut batch = tasks(100);
    for (at, task) in batch.iter_mut().enumerate().filter(|(at, _)| at % 7 == 3) {
        task.subkind = Some(format!("label {at}"));
    }
    let ids: Vec<_> = batch.iter().map(|task| task.id).collect();
    block_on(store.add(Add { tasks: batch, ..Add::default() })).unwrap();
    let grabbed = block_on(grab(&store, worker(1), 100)).unwrap();
    assert_eq!(grabbed.iter().map(|task| task.id).collect::<Vec<_>>(), ids);
    assert_eq!(grabbed[3].subkind.as_deref(), Some("label 3"));
    assert!(grabbed.iter().map(|task| task.seq).is_sorted());
}

#[test]
fn a_full_disk_loses_nothing_and_passes() {
    let (_folder, path) = file();
    let mut options = Options::default();
    options.bytes_max = Some(1024 * 1024);
    let store = SqliteStore::open(&path, options).unwrap();
    let mut kept: Vec<Added> = block_on(store.add(batch(1000))).unwrap().added;
    let running = block_on(grab(&store, worker(1), 1000)).unwrap();
    let error = loop {
        match block_on(store.add(batch(100))) {
            Ok(adds) => kept.extend(adds.added),
            Err(error) => break error,
        }
    };
    assert!(matches!(&error, StoreError::Down(text) if text.contains("full")), "{error}");
    assert!(block_on(store.add(batch(100))).is_err(), "it stays full");

    let count = block_on(store.count(Filter::default())).unwrap();
    let n: u64 = count.iter().map(|count| count.n).sum();
    assert_eq!(n, u64::try_from(kept.len()).unwrap(), "what was promised is there, and nothing else");

    let ends = running.iter().map(|task| done(task, Retention::Delete)).collect();
    assert!(!block_on(store.finish(ends)).unwrap().contains(&Finished::Lost));
    assert_eq!(block_on(store.add(batch(100))).unwrap().added.len(), 100, "there is room again");
}

#[test]
fn a_key_that_is_repeated_while_it_is_added_names_one_task() {
    let (_folder, path) = file();
    let store = open(&path);
    let keyed = || NewTask { key: Some(Key::key("order 1")), ..task() };
    let answers: Vec<_> =
        (0..50).map(|_| store.add(Add { tasks: vec![keyed(), keyed()], ..Add::default() })).collect();
    let added: Vec<Added> = answers.into_iter().flat_map(|answer| block_on(answer).unwrap().added).collect();
    assert_eq!(added.iter().filter(|added| added.fresh).count(), 1);
    assert!(added.iter().all(|other| other.id == added[0].id));
}
