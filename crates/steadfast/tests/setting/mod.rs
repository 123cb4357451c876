//! What the tests around a run share.
// Each test file uses its own part of it.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::sync::Arc;
use std::time::Duration;
use steadfast::core::seam::{Add, SystemClock};
use steadfast::core::{NewTask, Store};
use steadfast::{Builder, Engine, Handler, Kind, Payload, Policy, Retry, Status, Task, TaskId};
use steadfast_memory::MemoryStore;

pub(crate) fn store() -> Arc<MemoryStore> {
    Arc::new(MemoryStore::new(Arc::new(SystemClock)))
}

pub(crate) fn builder(store: &Arc<MemoryStore>) -> Builder {
    Builder::on(store.clone(), store.clone())
}

/// A policy under which a failure is tried again at once, and only once.
pub(crate) fn quick(change: impl FnOnce(&mut Policy)) -> Policy {
    let mut policy = Policy::default();
    policy.retry = Retry::immediate(1);
    change(&mut policy);
    policy
}

/// Puts a task with this payload into the store, past the engine.
pub(crate) async fn slip_in(store: &MemoryStore, kind: &str, payload: Payload) -> TaskId {
    let id = TaskId::new(1, [payload.len() as u64, 7]);
    let task = NewTask::new(id, Kind::new(kind).unwrap(), payload);
    store.add(Add { tasks: vec![task], ..Add::default() }).await.unwrap();
    id
}

/// Waits for a task's end, or its `error`.
pub(crate) async fn end(engine: &Engine, id: TaskId) -> Task {
    let waiting = tokio::time::timeout(Duration::from_secs(20), engine.wait(id));
    waiting.await.expect("the task should end").unwrap().expect("the task is kept")
}

/// Runs a task of the kind `mail` with this payload, which was put into the store past the engine, to its `error`; says its
/// attempts and the text. The payload must be as it was.
pub(crate) async fn error_of(handler: Handler, payload: Payload) -> String {
    let store = store();
    let id = slip_in(&store, "mail", payload.clone()).await;
    let engine = builder(&store).register(handler).start().await.unwrap();
    let task = end(&engine, id).await;
    assert_eq!(task.status, Status::Error);
    assert_eq!(store.get(id).await.unwrap().unwrap().payload, Some(payload), "the payload was touched");
    let _ = engine.drain().await.unwrap();
    format!("{}: {}", task.attempt, task.errors.last().unwrap_or_default())
}
