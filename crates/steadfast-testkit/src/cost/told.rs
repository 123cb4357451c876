//! An engine that tells when what it was given is over, without asking its store.

use super::still::Still;
use std::sync::Arc;
use std::time::Duration;
use steadfast::{Book, Builder, Engine, Handler, Kind, New, Policy, Priority, Retention, Room, Run, Status};
use steadfast_core::seam::{Ear, Ears};
use steadfast_core::{Hint, Hints, Store};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// The kind of all its tasks.
const KIND: &str = "count";
/// Runs at once: a backlog is taken in grabs of so many.
const SLOTS: usize = 50;
/// What comes with time and not with tasks comes once: at the start.
const SELDOM: Duration = Duration::from_secs(600);
/// Most tasks before an engine has looked and knows that it passes nobody.
const WARM_MAX: usize = 1000;

/// An engine that tells of every run, and of the slots that are taken.
pub(super) struct Told {
    engine: Engine,
    hints: Arc<Quiet>,
    runs: UnboundedReceiver<()>,
    taken: watch::Receiver<usize>,
}

/// Hints of the load alone: a store that listens for other processes may ask by the clock.
#[derive(Default)]
struct Quiet(Ears);

/// A limit without limits. A slot is free again when the store has accepted the end of its run.
struct Slots(watch::Sender<usize>);

impl Told {
    pub(super) async fn start<S: Store>(store: &Arc<S>, retention: Retention) -> Self {
        let hints = Arc::new(Quiet::default());
        let ((told, runs), (slots, taken)) = (unbounded_channel(), watch::channel(0));
        let engine = Builder::on(store.clone(), hints.clone())
            .runtime(Arc::new(Still))
            .register(handler(told, retention).book(Arc::new(Slots(slots))))
            .configure(|config| (config.slots, config.lease, config.sweep) = (SLOTS, SELDOM, SELDOM));
        Self { engine: engine.start().await.expect("it starts"), hints, runs, taken }
    }

    /// Adds tasks until one is born running: from then on all are.
    pub(super) async fn warm(&mut self) {
        for _ in 0..WARM_MAX {
            let added = self.engine.add(task()).await.expect("it is added");
            self.ends(1).await;
            if added.status == Status::Running {
                return;
            }
            // Its last look met a task. The next one gets a start before the next task.
            self.hints.0.ring(&Hint::LookAll);
            tokio::task::yield_now().await;
        }
        panic!("no task was born running");
    }

    /// As many callers at once as are given add a task each and wait until all have ended, until there were `n` tasks.
    pub(super) async fn add(&mut self, n: usize, callers: usize) {
        for _ in 0..n / callers {
            let mut adds = JoinSet::new();
            for _ in 0..callers {
                let engine = self.engine.clone();
                adds.spawn(async move { engine.add(task()).await.expect("it is added") });
            }
            adds.join_all().await;
            self.ends(callers).await;
        }
    }

    /// Waits until so many have run and all of them have ended.
    pub(super) async fn ends(&mut self, n: usize) {
        for _ in 0..n {
            self.runs.recv().await.expect("the engine lives");
        }
        self.taken.wait_for(|taken| *taken == 0).await.expect("the engine lives");
    }

    /// Stops it. Nothing may have run that was not waited for.
    pub(super) async fn leave(mut self) {
        let _ = self.engine.drain().await.expect("a drain");
        assert!(self.runs.try_recv().is_err(), "a task ran twice");
    }
}

/// Adds tasks together, for an engine that is not there yet.
pub(super) async fn add_many<S: Store>(store: &Arc<S>, n: usize) {
    let adder = Builder::on(store.clone(), Arc::new(Quiet::default())).start().await.expect("it starts");
    adder.add_many((0..n).map(|_| task())).await.expect("they are added");
}

fn task() -> New {
    New::kind(KIND, "")
}

fn handler(told: UnboundedSender<()>, retention: Retention) -> Handler {
    let mut policy = Policy::default();
    policy.retention = retention;
    let handler = Handler::of(KIND, move |_: Run| {
        let told = told.clone();
        async move {
            let _ = told.send(());
        }
    });
    handler.policy(policy)
}

impl Hints for Quiet {
    fn ring(&self, _: Hint) {}

    fn listen(&self, ear: Ear) {
        self.0.listen(ear);
    }
}

impl Book for Slots {
    fn book(&self, _: &Kind, _: Priority) -> Room {
        self.0.send_modify(|taken| *taken += 1);
        Room::Yes
    }

    fn free(&self, _: &Kind) {
        self.0.send_modify(|taken| *taken -= 1);
    }
}
