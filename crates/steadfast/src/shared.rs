//! What all loops of one engine share.

use crate::around::Around;
use crate::config::Config;
use crate::error::{Error, Result};
use crate::handlers::Handlers;
use crate::new::New;
use crate::news::{Adding, News, Saving};
use crate::policies::Policies;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use steadfast_core::effects;
use steadfast_core::seam::{Added, Future, Save, Saved};
use steadfast_core::{Bucket, Hint, Hints, KindRange, NewTask, Note, Runtime, Store, TaskId};
use tokio::sync::mpsc::{UnboundedSender, WeakSender};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

pub(crate) struct Shared {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) hints: Arc<dyn Hints>,
    pub(crate) runtime: Arc<dyn Runtime>,
    pub(crate) config: Config,
    pub(crate) handlers: Arc<Handlers>,
    /// The kinds that the handlers are for.
    pub(crate) ranges: Arc<[KindRange]>,
    pub(crate) policies: Policies,
    /// What stands around every run.
    pub(crate) around: Around,
    /// What every new task is passed through.
    pub(crate) decorators: Vec<Decorator>,
    /// Tells this engine's hints from others'.
    pub(crate) nonce: u64,
    /// Buckets that this worker does not serve for now.
    pub(crate) stopped: Mutex<BTreeSet<Bucket>>,
    /// Set when the engine is over: the lease and sweep loops leave.
    pub(crate) over: CancellationToken,
    /// How runs add tasks. It keeps no engine alive that its callers have dropped.
    pub(crate) adds: OnceLock<WeakSender<Adding>>,
    /// How runs say where they stand.
    pub(crate) news: OnceLock<UnboundedSender<News>>,
}

pub(crate) type Decorator = Box<dyn Fn(New) -> New + Send + Sync>;

/// Waits between repeats of a store call that may pass.
/// The wait of calls that are repeated for ever: they do not count their failures.
pub(crate) const REPEAT: u32 = 3;
const BACKOFF_MIN: Duration = Duration::from_millis(20);
const BACKOFF_MAX: Duration = Duration::from_secs(1);

impl Shared {
    /// Decorates a task, checks it and completes it by its kind's policy.
    pub(crate) async fn prepare(&self, new: New) -> Result<NewTask> {
        // Effects that wait for an add would wait for themselves.
        effects::refuse_inside()?;
        let new = self.decorators.iter().fold(new, |new, decorate| decorate(new));
        let kind = new.kind_of()?.clone();
        self.policies.refresh_for(&kind).await?;
        let policy = self.policies.of(&kind);
        let pack = |rule, payload| self.pack_by(rule, payload);
        Ok(new.into_task(self.new_id(), &policy, self.config.payload_bytes_max, pack)?)
    }

    /// The store, if it is of that type.
    pub(crate) fn store<S: Store>(&self) -> Result<&S> {
        let store: &dyn std::any::Any = &*self.store;
        store.downcast_ref().ok_or(Error::OtherStore(std::any::type_name::<S>()))
    }

    /// Adds a task through the dispatcher, if the engine is still there.
    pub(crate) async fn add(&self, new: New) -> Result<Added> {
        let task = self.prepare(new).await?;
        let adds = self.adds.get().and_then(WeakSender::upgrade).ok_or(Error::Stopped)?;
        let (reply, answer) = oneshot::channel();
        adds.send(Adding::One(Box::new(task), reply)).await.map_err(|_| Error::Stopped)?;
        // Not held while waiting: the engine may stop meanwhile.
        drop(adds);
        answer.await.map_err(|_| Error::Stopped)?
    }

    /// Writes down where a run stands, through the dispatcher. It is written even if nobody waits for it.
    pub(crate) async fn save(&self, save: Save) -> Result<Saved> {
        // Effects that wait for a save would wait for themselves.
        effects::refuse_inside()?;
        let (reply, answer) = oneshot::channel();
        let saving = News::Save(Box::new(Saving { save, reply }));
        self.news.get().ok_or(Error::Stopped)?.send(saving).map_err(|_| Error::Stopped)?;
        answer.await.map_err(|_| Error::Stopped)?
    }

    pub(crate) fn spawn(&self, future: impl std::future::Future<Output = ()> + Send + 'static) {
        self.runtime.spawn(Box::pin(future));
    }

    /// The buckets that this worker does not serve for now.
    pub(crate) fn stopped(&self) -> MutexGuard<'_, BTreeSet<Bucket>> {
        self.stopped.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn now(&self) -> Duration {
        self.runtime.monotonic()
    }

    pub(crate) fn new_id(&self) -> TaskId {
        TaskId::new(self.runtime.unix_ms(), [self.runtime.random(), self.runtime.random()])
    }

    /// Tells the others that something may be ready in these buckets.
    pub(crate) fn ring_look(&self, buckets: BTreeSet<Bucket>) {
        for bucket in buckets {
            self.hints.ring(Hint::Look { bucket, from: self.nonce });
        }
    }

    /// Tells the others what became ready: exactly, if it is of one kind, so that they need not look.
    pub(crate) fn ring_ready(&self, ready: Vec<(Bucket, Note)>) {
        let same = |(a, b): (&(Bucket, Note), &(Bucket, Note))| {
            a.0 == b.0 && a.1.kind == b.1.kind && a.1.priority == b.1.priority
        };
        if ready.iter().zip(ready.iter().skip(1)).all(same) {
            let n = ready.len();
            if let Some((bucket, Note { kind, priority, ready_at, .. })) = ready.into_iter().next() {
                let from = self.nonce;
                self.hints.ring(Hint::Ready { bucket, kind, priority, ready_at, n, from });
            }
        } else {
            self.ring_look(ready.into_iter().map(|(bucket, _)| bucket).collect());
        }
    }

    /// How long to wait before the `tries`-th repeat of a failed store call, a part of it by chance.
    pub(crate) fn backoff(&self, tries: u32) -> Future<()> {
        let wait = BACKOFF_MIN.saturating_mul(1 << tries.min(6)).min(BACKOFF_MAX);
        let chance = self.runtime.random() % 1000;
        self.runtime.sleep(wait.mul_f64(0.5 + f64::from(u32::try_from(chance).unwrap_or(0)) / 2000.0))
    }
}
