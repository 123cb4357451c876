//! The rules that programs declared in the store, as they were read last.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use steadfast_core::seam::KindRow;
use steadfast_core::{Kind, Policy, Runtime, Store, StoreError};
use tokio::sync::Mutex;

/// Rules are read again when they are older than this: an adder follows a changed policy within it.
const AGE_MAX: Duration = Duration::from_secs(1);
/// From this age on one of those who ask has them read ahead, so that nobody has to wait for it.
const AGE_SOON: Duration = Duration::from_millis(750);

pub(crate) struct Declared {
    store: Arc<dyn Store>,
    runtime: Arc<dyn Runtime>,
    known: RwLock<Known>,
    /// One reads at a time, for all: however many add at once, the store is asked once.
    reading: Arc<Mutex<()>>,
}

#[derive(Default)]
struct Known {
    /// By the kind, or its prefix with `*` at the end.
    policies: BTreeMap<String, Arc<Policy>>,
    read_at: Option<Duration>,
}

impl Declared {
    pub(crate) fn new(store: Arc<dyn Store>, runtime: Arc<dyn Runtime>) -> Arc<Self> {
        Arc::new(Self { store, runtime, known: RwLock::default(), reading: Arc::default() })
    }

    /// What somebody declared for a kind.
    pub(crate) fn of(&self, kind: &Kind) -> Option<Arc<Policy>> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let prefixes =
            known.policies.iter().filter_map(|(name, policy)| Some((name.strip_suffix('*')?, policy)));
        kind.find_in(|name| known.policies.get(name), prefixes).cloned()
    }

    /// Reads them if they are too old, and has them read if they soon will be.
    pub(crate) async fn refresh(self: &Arc<Self>) -> Result<(), StoreError> {
        if self.is_older_than(AGE_MAX) {
            let _one = self.reading.lock().await;
            // Whoever read meanwhile did so for us, too.
            return if self.is_older_than(AGE_MAX) { self.read().await } else { Ok(()) };
        }
        if self.is_older_than(AGE_SOON)
            && let Ok(one) = self.reading.clone().try_lock_owned()
        {
            let declared = self.clone();
            self.runtime.spawn(Box::pin(async move {
                let _one = one;
                if let Err(error) = declared.read().await {
                    tracing::warn!(%error, "policies not read");
                }
            }));
        }
        Ok(())
    }

    pub(crate) async fn read(&self) -> Result<(), StoreError> {
        let now = self.runtime.monotonic();
        let rows: Vec<KindRow> = self.store.kinds().await?;
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.policies = rows.into_iter().map(|row| (row.kind.into(), row.policy.into())).collect();
        known.read_at = Some(now);
        Ok(())
    }

    fn is_older_than(&self, age: Duration) -> bool {
        let read_at = self.known.read().unwrap_or_else(PoisonError::into_inner).read_at;
        read_at.is_none_or(|read_at| self.runtime.monotonic().saturating_sub(read_at) >= age)
    }
}

#[cfg(all(test, feature = "testing"))]
mod tests {
    use super::*;
    use crate::testing::Ground;
    use steadfast_core::{Clock, WorkerId};
    use steadfast_memory::MemoryStore;

    const KIND: &str = "mail";

    struct Scene {
        ground: Ground,
        store: Arc<MemoryStore>,
        declared: Arc<Declared>,
    }

    impl Scene {
        fn new() -> Self {
            let ground = Ground::new();
            let store = Arc::new(MemoryStore::new(Arc::new(ground.clone())));
            let declared = Declared::new(store.clone(), Arc::new(ground.clone()));
            Self { ground, store, declared }
        }

        /// Somebody declares the kind with a deadline of so many seconds.
        async fn declare(&self, seconds: u64) {
            let mut policy = Policy::default();
            policy.deadline = Duration::from_secs(seconds);
            let kinds = vec![(Kind::new(KIND).unwrap(), policy)];
            self.store.declare(WorkerId::new(1, [2, 3]), 1, kinds).await.unwrap();
        }

        fn pass(&self, ms: u64) {
            self.ground.move_to(self.ground.now().after(Duration::from_millis(ms)));
        }

        fn known(&self) -> Option<u64> {
            self.declared.of(&Kind::new(KIND).unwrap()).map(|policy| policy.deadline.as_secs())
        }
    }

    #[tokio::test]
    async fn rules_are_read_ahead_by_one_and_nobody_waits() {
        let scene = Scene::new();
        scene.declare(1).await;
        scene.declared.refresh().await.unwrap();
        assert_eq!(scene.known(), Some(1), "the first one to ask waits for an answer");
        scene.declare(2).await;
        scene.pass(700);
        scene.declared.refresh().await.unwrap();
        tokio::task::yield_now().await;
        assert_eq!(scene.known(), Some(1), "they are young");
        scene.pass(100);
        scene.declared.refresh().await.unwrap();
        assert_eq!(scene.known(), Some(1), "nobody waits");
        assert!(scene.declared.reading.try_lock().is_err(), "nobody else reads");
        tokio::task::yield_now().await;
        assert_eq!(scene.known(), Some(2), "they were read ahead");
    }

    #[tokio::test]
    async fn old_rules_are_followed_by_nobody() {
        let scene = Scene::new();
        scene.declare(1).await;
        scene.declared.refresh().await.unwrap();
        scene.declare(2).await;
        scene.pass(1000);
        let (one, other) = tokio::join!(scene.declared.refresh(), scene.declared.refresh());
        assert!(one.is_ok() && other.is_ok());
        assert_eq!(scene.known(), Some(2));
    }
}
