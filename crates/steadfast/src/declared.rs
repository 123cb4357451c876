//! The rules that programs declared in the store, as they were read last.
//!
//! However many ask at once, the store is asked once, by a task of its own: a caller who is not polled for a while holds
//! up nobody. Those who ask within a second of each other wait for the same answer, also if it is an error; who comes
//! later asks again and does not stand behind a question that may never be answered.

use futures_util::future::{FutureExt, Shared};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;
use steadfast_core::seam::{Future, KindRow};
use steadfast_core::{Kind, Policy, Runtime, Store, StoreError};
use tokio::sync::oneshot;

/// Rules are read again when they are older than this: an adder follows a changed policy within it.
const AGE_MAX: Duration = Duration::from_secs(1);
/// From this age on they are read ahead, so that nobody has to wait for it. A worker's sweep is sooner.
const AGE_SOON: Duration = Duration::from_millis(950);
/// How long the question then waits: whoever noticed their age is about to add, and has the store first.
const SOON: Duration = Duration::from_millis(10);

/// Asks the store for them.
type Ask = Box<dyn Fn() -> Future<Result<Vec<KindRow>, StoreError>> + Send + Sync>;

pub(crate) struct Declared {
    ask: Ask,
    runtime: Arc<dyn Runtime>,
    known: RwLock<Known>,
    /// The last question of those who add.
    asked: Mutex<Option<Asked>>,
}

#[derive(Default)]
struct Known {
    /// By the kind, or its prefix with `*` at the end.
    policies: BTreeMap<String, Arc<Policy>>,
    read_at: Option<Duration>,
}

/// A question to the store, and its answer for all who wait for it.
struct Asked {
    at: Duration,
    answer: Shared<Future<Result<(), StoreError>>>,
}

impl Declared {
    pub(crate) fn new(store: Arc<dyn Store>, runtime: Arc<dyn Runtime>) -> Arc<Self> {
        let ask = move || -> Future<_> {
            let store = store.clone();
            Box::pin(async move { store.kinds().await })
        };
        Self::asking(Box::new(ask), runtime)
    }

    fn asking(ask: Ask, runtime: Arc<dyn Runtime>) -> Arc<Self> {
        Arc::new(Self { ask, runtime, known: RwLock::default(), asked: Mutex::default() })
    }

    /// What somebody declared for a kind.
    pub(crate) fn of(&self, kind: &Kind) -> Option<Arc<Policy>> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let prefixes =
            known.policies.iter().filter_map(|(name, policy)| Some((name.strip_suffix('*')?, policy)));
        kind.find_in(|name| known.policies.get(name), prefixes).cloned()
    }

    /// Waits until they are read if they are too old; has them read if they soon will be.
    pub(crate) async fn refresh(self: &Arc<Self>) -> Result<(), StoreError> {
        let read_at = self.known.read().unwrap_or_else(PoisonError::into_inner).read_at;
        let age = read_at.map_or(Duration::MAX, |read_at| self.runtime.monotonic().saturating_sub(read_at));
        if age < AGE_SOON {
            return Ok(());
        }
        if age < AGE_MAX {
            drop(self.asked(SOON));
            Ok(())
        } else {
            self.asked(Duration::ZERO).await
        }
    }

    /// Reads them now.
    pub(crate) async fn read(&self) -> Result<(), StoreError> {
        let now = self.runtime.monotonic();
        let rows = (self.ask)().await?;
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.policies = rows.into_iter().map(|row| (row.kind.into(), row.policy.into())).collect();
        known.read_at = Some(now);
        Ok(())
    }

    /// The answer to the question that is under way, if it is young, or else to a new one after this pause.
    fn asked(self: &Arc<Self>, pause: Duration) -> Shared<Future<Result<(), StoreError>>> {
        let at = self.runtime.monotonic();
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = &*asked
            && at.saturating_sub(last.at) < AGE_MAX
            && last.answer.clone().now_or_never().is_none()
        {
            return last.answer.clone();
        }
        let (tell, told) = oneshot::channel();
        let declared = self.clone();
        self.runtime.spawn(Box::pin(async move {
            if !pause.is_zero() {
                declared.runtime.sleep(pause).await;
            }
            let result = declared.read().await;
            if let Err(error) = &result {
                tracing::warn!(%error, "policies not read");
            }
            // Nobody may wait for it.
            let _ = tell.send(result);
        }));
        let gone = |_| Err(StoreError::Down("the runtime that read the policies has ended".into()));
        let answer: Future<_> = Box::pin(async move { told.await.unwrap_or_else(gone) });
        let answer = answer.shared();
        *asked = Some(Asked { at, answer: answer.clone() });
        answer
    }
}

#[cfg(all(test, feature = "testing"))]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]
mod tests {
    use super::*;
    use crate::testing::Ground;
    use std::pin::pin;
    use steadfast_core::{Clock, WorkerId};
    use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
    use tokio::task::JoinHandle;

    type Rows = Result<Vec<KindRow>, StoreError>;

    /// A store that answers when the test does.
    struct Scene {
        ground: Ground,
        declared: Arc<Declared>,
        questions: UnboundedReceiver<oneshot::Sender<Rows>>,
    }

    impl Scene {
        fn new() -> Self {
            let ground = Ground::new();
            let (sender, questions) = unbounded_channel();
            let ask = move || -> Future<Rows> {
                let (answer, answered) = oneshot::channel();
                sender.send(answer).unwrap();
                Box::pin(async { answered.await.unwrap() })
            };
            let declared = Declared::asking(Box::new(ask), Arc::new(ground.clone()));
            Self { ground, declared, questions }
        }

        /// The rules are known.
        async fn read() -> Self {
            let mut scene = Self::new();
            let refresh = scene.refresh();
            scene.answer(1).await;
            refresh.await.unwrap().unwrap();
            scene
        }

        /// Somebody asks.
        fn refresh(&self) -> JoinHandle<Result<(), StoreError>> {
            let declared = self.declared.clone();
            tokio::spawn(async move { declared.refresh().await })
        }

        /// The store is asked, and can answer.
        async fn question(&mut self) -> oneshot::Sender<Rows> {
            self.questions.recv().await.unwrap()
        }

        /// The store answers with rules that have a deadline of so many seconds, by which they are known.
        async fn answer(&mut self, seconds: u64) {
            let mut policy = Policy::default();
            policy.deadline = Duration::from_secs(seconds);
            let row = KindRow { kind: kind(), policy, build: 1, worker: WorkerId::new(1, [2, 3]) };
            self.question().await.send(Ok(vec![row])).unwrap();
        }

        fn known(&self) -> Option<u64> {
            self.declared.of(&kind()).map(|policy| policy.deadline.as_secs())
        }

        async fn is_asked(&self) -> bool {
            everybody_else().await;
            !self.questions.is_empty()
        }

        fn pass(&self, ms: u64) {
            self.ground.move_to(self.ground.now().after(Duration::from_millis(ms)));
        }
    }

    fn kind() -> Kind {
        Kind::new("mail").unwrap()
    }

    /// Lets all tasks of the test go as far as they can.
    async fn everybody_else() {
        for _ in 0..8 {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn rules_are_read_ahead_and_nobody_waits() {
        let mut scene = Scene::read().await;
        scene.pass(900);
        scene.declared.refresh().await.unwrap();
        assert!(!scene.is_asked().await, "they are young");
        scene.pass(60);
        scene.declared.refresh().await.unwrap();
        scene.declared.refresh().await.unwrap();
        assert_eq!(scene.known(), Some(1), "nobody waits");
        assert!(!scene.is_asked().await, "whoever adds has the store first");
        scene.pass(10);
        scene.answer(2).await;
        assert!(!scene.is_asked().await, "asked once");
        assert_eq!(scene.known(), Some(2));
    }

    #[tokio::test]
    async fn all_who_find_them_old_wait_for_one_answer() {
        let mut scene = Scene::read().await;
        scene.pass(1000);
        let waiting = [(); 3].map(|()| scene.refresh());
        everybody_else().await;
        assert!(waiting.iter().all(|one| !one.is_finished()), "old rules are followed by nobody");
        scene.answer(2).await;
        for one in waiting {
            one.await.unwrap().unwrap();
        }
        assert!(!scene.is_asked().await, "asked once");
        assert_eq!(scene.known(), Some(2));
    }

    #[tokio::test]
    async fn all_hear_that_the_store_is_down_and_the_next_one_asks_again() {
        let mut scene = Scene::read().await;
        scene.pass(1000);
        let waiting = [(); 3].map(|()| scene.refresh());
        scene.question().await.send(Err(StoreError::Down("gone".into()))).unwrap();
        for one in waiting {
            assert!(matches!(one.await.unwrap(), Err(StoreError::Down(_))));
        }
        let next = scene.refresh();
        scene.answer(2).await;
        next.await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn an_error_that_nobody_heard_is_not_kept_for_the_next_one() {
        let mut scene = Scene::read().await;
        scene.pass(960);
        scene.declared.refresh().await.unwrap();
        everybody_else().await;
        scene.pass(10);
        scene.question().await.send(Err(StoreError::Down("gone".into()))).unwrap();
        everybody_else().await;
        scene.pass(100);
        let next = scene.refresh();
        scene.answer(2).await;
        next.await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn one_who_is_not_polled_any_more_holds_up_nobody() {
        let mut scene = Scene::new();
        let declared = scene.declared.clone();
        let mut idle = pin!(declared.refresh());
        assert!(idle.as_mut().now_or_never().is_none());
        let other = scene.refresh();
        scene.answer(1).await;
        other.await.unwrap().unwrap();
        idle.await.unwrap();
    }

    #[tokio::test]
    async fn a_question_without_an_answer_holds_up_only_those_who_came_soon() {
        let mut scene = Scene::new();
        let first = scene.refresh();
        let unanswered = scene.question().await;
        scene.pass(1000);
        let second = scene.refresh();
        scene.answer(1).await;
        second.await.unwrap().unwrap();
        assert!(!first.is_finished());
        drop(unanswered);
        assert!(first.await.unwrap().is_err(), "its reader has ended");
    }
}
