//! What the memory store promises beyond the shared suite.
// Helpers of a test fail by a panic like the test itself.
#![allow(clippy::unwrap_used)]

use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use steadfast_core::seam::{Add, Answer, Hint, Hints};
use steadfast_core::{Filter, Kind, NewTask, Payload, Store, TaskId, WorkerId};
use steadfast_memory::MemoryStore;
use steadfast_testkit::TestClock;

fn store() -> MemoryStore {
    MemoryStore::new(TestClock::new())
}

/// The answer at the first poll: there is nothing to wait for.
fn at_once<T>(mut answer: Answer<'_, T>) -> T {
    match answer.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer.unwrap(),
        Poll::Pending => panic!("the answer should be ready at once"),
    }
}

fn one_task() -> Add {
    let task = NewTask::new(TaskId::new(1, [1, 1]), Kind::new("mail").unwrap(), Payload::default());
    Add { tasks: vec![task], ..Add::default() }
}

#[test]
fn clones_are_the_same_store() {
    let store = store();
    at_once(store.clone().add(one_task()));
    assert_eq!(at_once(store.count(Filter::default())).len(), 1);
}

#[test]
fn an_answer_that_nobody_asks_for_changes_nothing() {
    let store = store();
    drop(store.add(one_task()));
    assert!(at_once(store.count(Filter::default())).is_empty());
}

#[test]
fn a_hint_reaches_all_who_listen() {
    let store = store();
    let heard = Arc::new(Mutex::new(Vec::new()));
    for ear in 0..2 {
        let heard = heard.clone();
        store.listen(Box::new(move |hint| {
            heard.lock().unwrap().push((ear, hint));
            true
        }));
    }
    let hints = [Hint::LookAll, Hint::Recall(WorkerId::new(1, [1, 1]))];
    for hint in &hints {
        store.clone().ring(hint.clone());
    }
    let mut wanted = Vec::new();
    for hint in hints {
        wanted.extend([(0, hint.clone()), (1, hint)]);
    }
    assert_eq!(*heard.lock().unwrap(), wanted);
}

#[test]
fn who_does_not_listen_any_more_is_forgotten() {
    let store = store();
    let heard = Arc::new(Mutex::new(0));
    let count = heard.clone();
    store.listen(Box::new(move |_| {
        *count.lock().unwrap() += 1;
        false
    }));
    store.ring(Hint::LookAll);
    store.ring(Hint::LookAll);
    assert_eq!(*heard.lock().unwrap(), 1);
}
