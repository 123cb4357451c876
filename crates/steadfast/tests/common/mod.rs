//! Stores that several engines share, as several processes would.
// Not every test needs all of it.
#![allow(dead_code)]

use std::sync::Arc;
use std::time::Duration;
use steadfast::core::seam::SystemClock;
use steadfast::memory::MemoryStore;
use steadfast::sqlite::{Options, SqliteStore};
use steadfast::{Builder, Engine, Retry, Status, Task, TaskId};

/// A store, and the folder that it lies in.
pub(crate) enum Home {
    Memory(Arc<MemoryStore>),
    Sqlite(tempfile::TempDir),
}

/// One of each sort.
pub(crate) fn homes() -> [Home; 2] {
    [memory(), Home::Sqlite(tempfile::tempdir().unwrap())]
}

pub(crate) fn memory() -> Home {
    Home::Memory(Arc::new(MemoryStore::new(Arc::new(SystemClock))))
}

impl Home {
    /// An engine to be: on SQLite with a connection of its own, as another process would have.
    pub(crate) fn builder(&self) -> Builder {
        let builder = match self {
            Self::Memory(store) => Builder::on(store.clone(), store.clone()),
            Self::Sqlite(folder) => {
                let file = folder.path().join("tasks.db");
                let store = Arc::new(SqliteStore::open(file, Options::default()).unwrap());
                Builder::on(store.clone(), store)
            }
        };
        builder.configure(|config| config.lease = Duration::from_secs(3))
    }
}

/// Waits until the task has the status, at most 20 s.
pub(crate) async fn until(engine: &Engine, id: TaskId, status: Status) -> Task {
    let reached = async {
        loop {
            match engine.get(id).await.unwrap() {
                Some(task) if task.status == status => return task,
                _ => tokio::time::sleep(Duration::from_millis(2)).await,
            }
        }
    };
    let in_time = tokio::time::timeout(Duration::from_secs(20), reached).await;
    in_time.unwrap_or_else(|_| panic!("task {id} did not become {status}"))
}

/// A policy that tries so often, at once.
pub(crate) fn at_once(times: u32) -> steadfast::Policy {
    let mut policy = steadfast::Policy::default();
    policy.retry = Retry::immediate(times);
    policy
}
