//! What the tests of all topics need.

use std::sync::Arc;
use std::time::Duration;
use steadfast::core::seam::SystemClock;
use steadfast::{Builder, Engine, Kinded, Policy, Retry, Status, Task, TaskId};
use steadfast_memory::MemoryStore;

#[derive(serde::Serialize, serde::Deserialize)]
pub(crate) struct Mail {
    pub(crate) to: String,
}

impl Kinded for Mail {
    const KIND: &'static str = "mail";
}

pub(crate) fn mail(to: &str) -> Mail {
    Mail { to: to.into() }
}

pub(crate) fn store() -> Arc<MemoryStore> {
    Arc::new(MemoryStore::new(Arc::new(SystemClock)))
}

pub(crate) fn builder(store: &Arc<MemoryStore>) -> Builder {
    Builder::on(store.clone(), store.clone()).configure(|config| config.lease = Duration::from_secs(2))
}

pub(crate) fn quick(policy: impl FnOnce(&mut Policy)) -> Policy {
    let mut quick = Policy::default();
    quick.retry = Retry::immediate(2);
    policy(&mut quick);
    quick
}

/// Waits until the task has the status; each look is asked for by the engine's own progress, bounded by 10 s.
pub(crate) async fn until(engine: &Engine, id: TaskId, status: Status) -> Task {
    tokio::time::timeout(Duration::from_secs(10), async {
        loop {
            match engine.get(id).await.unwrap() {
                Some(task) if task.status == status => return task,
                _ => tokio::time::sleep(Duration::from_millis(2)).await,
            }
        }
    })
    .await
    .unwrap_or_else(|_| panic!("task {id} did not become {status}"))
}
