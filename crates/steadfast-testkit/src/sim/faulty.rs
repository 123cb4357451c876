//! The memory store with a fault planted into it: one that others made. The checker must find it, or it shows nothing.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use steadfast_core::seam::{Add, Adds, Cause, Commit, Committed, Finish, Finished, Grab, Stray};
use steadfast_core::{Grant, Outcome, Store, StoreError, Task, WorkerId};
use steadfast_memory::MemoryStore;

/// Of so many adds one is forgotten.
const EVERY: usize = 20;

/// What the memory store makes of a run's effects.
type Work = Box<dyn FnOnce() -> Result<Outcome, String> + Send>;

/// One thing that a store must not do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Planted {
    /// An add is acknowledged and not kept.
    AddForgotten,
    /// A grab gives out the grant of the run before it.
    GrantReused,
    /// A grab does not count what runs under a limit of the cluster.
    LimitUncounted,
    /// A finish is accepted from whoever sends it.
    FinishUnfenced,
    /// Effects are committed although the finish beside them found no row.
    EffectsApart,
    /// The tasks of a dead worker are listed once, and never again.
    ReapOnce,
}

impl Planted {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::AddForgotten,
        Self::GrantReused,
        Self::LimitUncounted,
        Self::FinishUnfenced,
        Self::EffectsApart,
        Self::ReapOnce,
    ];
}

/// A memory store with at most one fault. Only calls that can have one are here.
pub(crate) struct Faulty {
    pub(crate) inner: MemoryStore,
    planted: Option<Planted>,
    /// Where adds go that are forgotten.
    nowhere: MemoryStore,
    adds: AtomicUsize,
    /// Workers whose tasks were listed.
    listed: Mutex<BTreeSet<WorkerId>>,
}

impl Faulty {
    pub(crate) fn new(inner: MemoryStore, nowhere: MemoryStore, planted: Option<Planted>) -> Self {
        let (adds, listed) = Default::default();
        Self { inner, planted, nowhere, adds, listed }
    }

    pub(crate) async fn add(&self, add: Add) -> Result<Adds, StoreError> {
        let nth = self.adds.fetch_add(1, Ordering::SeqCst);
        let forgotten = self.has(Planted::AddForgotten) && nth.is_multiple_of(EVERY);
        if forgotten { self.nowhere.add(add).await } else { self.inner.add(add).await }
    }

    pub(crate) async fn grab(&self, mut grab: Grab) -> Result<Vec<Task>, StoreError> {
        if self.has(Planted::LimitUncounted) {
            grab.under = None;
        }
        let mut tasks = self.inner.grab(grab).await?;
        if self.has(Planted::GrantReused) {
            for task in &mut tasks {
                task.grant = Grant::from_i64(1);
            }
        }
        Ok(tasks)
    }

    pub(crate) async fn finish(&self, mut finishes: Vec<Finish>) -> Result<Vec<Finished>, StoreError> {
        if self.has(Planted::FinishUnfenced) {
            for finish in finishes.iter_mut().filter(|finish| finish.cause == Cause::Holder) {
                let task = self.inner.get(finish.fence.task).await?;
                finish.fence = task.and_then(|task| task.fence()).unwrap_or(finish.fence);
            }
        }
        self.inner.finish(finishes).await
    }

    pub(crate) async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        if !self.has(Planted::EffectsApart) {
            return self.inner.commit(commit).await;
        }
        let work: Work = commit.effects.take("memory")?;
        let change = match work() {
            Ok(outcome) => (commit.decide)(outcome),
            Err(why) => return Ok(Committed::Failed(why)),
        };
        let finish = Finish { fence: commit.fence, cause: Cause::Holder, change };
        Ok(match self.inner.finish(vec![finish]).await?.pop() {
            Some(Finished::Accepted { status, due_at }) => Committed::Accepted { status, due_at },
            _ => Committed::Lost,
        })
    }

    pub(crate) async fn strays(&self, by: WorkerId, n_max: usize) -> Result<Vec<Stray>, StoreError> {
        let mut strays = self.inner.strays(by, n_max).await?;
        if self.has(Planted::ReapOnce) {
            let mut listed = self.listed.lock().unwrap();
            let dead = |stray: &Stray| stray.task.worker.filter(|_| stray.cause == Cause::Dead);
            let now: Vec<WorkerId> = strays.iter().filter_map(dead).collect();
            strays.retain(|stray| dead(stray).is_none_or(|worker| !listed.contains(&worker)));
            listed.extend(now);
        }
        Ok(strays)
    }

    fn has(&self, planted: Planted) -> bool {
        self.planted == Some(planted)
    }
}
