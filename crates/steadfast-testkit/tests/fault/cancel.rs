//! Cancel safety: every public future is dropped at every await point.

use super::polled::polled;
use super::scene::{Call, Scene, new, number, numbered};
use super::{engine_calls, inside, store_calls};
use crate::calls;
use crate::cluster::{self, Cluster};
use crate::trial::witness::{PATIENCE, Witness};
use crate::trial::{database, shown, size};
use std::sync::Arc;
use std::time::{Duration, Instant};
use steadfast::{
    Act, Builder, Deed, Engine, Fence, Filter, Guard, Handler, Key, Outcome, Run, Status, Task, When,
};
use tokio::sync::mpsc::{self, UnboundedReceiver};

/// Most polls that a call may take. The bound is for broken code; nothing depends on it.
const POLLS_MAX: usize = 2_000;
/// How long a transaction may stay open that a caller has left: less than after what the server ends it by itself.
const OPEN_MAX: Duration = Duration::from_secs(1);
const POLL: Duration = Duration::from_millis(5);
const FAR: Duration = Duration::from_secs(24 * 3600);

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_is_dropped_at_any_await_point_leaves_nothing_behind() {
    let mut trial = Trial::new().await;
    let calls: Vec<Call> =
        [engine_calls::all(), store_calls::all(), calls::all()].into_iter().flatten().collect();
    let rounds = size(1, 2);
    for _ in 0..rounds {
        for call in &calls {
            trial.drop_everywhere(call).await;
        }
        trial.drop_inside().await;
        for kind in inside::kinds() {
            trial.engine.add(numbered(kind)).await.expect("it is added");
        }
    }
    let next = size(100, 1_000);
    for _ in 0..next / 2 {
        trial.engine.add(new()).await.expect("the next call");
        calls::next(&trial.engine).await.expect("the next call");
    }
    let (open, drops) = (trial.open, trial.drops);
    let n = calls.len() + inside::kinds().count();
    trial.end().await;
    shown(
        "cancel safety",
        format!("{n} public calls dropped at every await point, {rounds} times over, {drops} drops"),
        format!("transactions left open {open}, next {next} calls failed 0, lost 0, doubled 0"),
        "0, 0, 0, 0",
        open == 0,
    );
}

/// A store on which calls are dropped.
struct Trial {
    url: String,
    engine: Engine,
    witness: Witness,
    tokens: UnboundedReceiver<Fence>,
    parked: Vec<Fence>,
    drops: usize,
    open: usize,
    /// Its databases are there as long as this is.
    _cluster: Cluster,
}

impl Trial {
    async fn new() -> Self {
        // Not the shared one: others' transactions would be seen.
        let cluster = Cluster::new();
        let name = &database(&cluster).await;
        let url = cluster::url(&cluster.address(), name);
        let witness = Witness::new(cluster.address(), name).await;
        let (told, tokens) = mpsc::unbounded_channel();
        let parks = Handler::of("parks", move |run: Run| {
            // One that was ejected is over.
            let parks = run.task().step.is_none();
            if parks {
                let _ = told.send(run.token());
            }
            async move { if parks { Outcome::Later { until: When::After(FAR) } } else { Outcome::Done } }
        });
        let quick = Handler::of("quick", |_: Run| async {});
        let handlers =
            [quick.policy(inside::policy()), parks.policy(inside::policy()), engine_calls::other()];
        let builder = steadfast::connect(&url).await.expect("the store opens");
        let builder = handlers.into_iter().chain(inside::handlers()).fold(builder, Builder::register);
        let engine = builder.start().await.expect("the engine starts");
        Self { url, engine, witness, tokens, parked: Vec::new(), drops: 0, open: 0, _cluster: cluster }
    }

    /// Drops a call after its first poll, after its second, and so on until it is faster.
    async fn drop_everywhere(&mut self, call: &Call) {
        for times in 1..POLLS_MAX {
            let scene = self.scene(call).await;
            match polled((call.start)(scene), times).await {
                None => self.drops += 1,
                Some(Ok(())) => return self.is_quiet(call.name).await,
                Some(Err(error)) => panic!("{} ended in {error}", call.name),
            }
            self.engine.add(new()).await.expect("the next call");
            calls::next(&self.engine).await.expect("the next call");
        }
        panic!("{} never ends", call.name);
    }

    /// A task that waits, and one that is parked: another one for a call that ends it, which may still be under way
    /// though nobody waits for it.
    async fn scene(&mut self, call: &Call) -> Arc<Scene> {
        if self.parked.is_empty() || engine_calls::ENDS.contains(&call.name) {
            self.engine.add(numbered("parks")).await.expect("it is added");
            let parked = self.tokens.recv().await.expect("a token");
            while self
                .engine
                .get(parked.task)
                .await
                .expect("an answer")
                .is_none_or(|task| task.status != Status::Parked)
            {
                tokio::time::sleep(POLL).await;
            }
            self.parked.push(parked);
        }
        let parked = *self.parked.last().expect("there is one");
        Scene::new(&self.engine, &self.url, parked).await
    }

    /// Counts transactions that stay open.
    async fn is_quiet(&mut self, name: &str) {
        if tokio::time::timeout(OPEN_MAX, self.witness.none_open()).await.is_err() {
            println!("{name} left a transaction open");
            self.open += 1;
        }
    }

    /// Drops only the add of a transaction, and commits it: all of its tasks are there then, or none.
    async fn drop_inside(&mut self) {
        for times in 1..POLLS_MAX {
            let keys = [number(), number(), number()];
            let over = calls::add_and_commit(&self.engine, &keys, times).await;
            let mut there = 0;
            for key in &keys {
                let found = self.engine.look_up(Key::key(key)).await.expect("an answer");
                there += usize::from(found.is_some());
            }
            assert!(
                [0, keys.len()].contains(&there),
                "{there} of {} were added after {times} polls",
                keys.len()
            );
            self.drops += usize::from(!over);
            if over {
                return;
            }
        }
        panic!("an add in a transaction never ends");
    }

    /// All that was added ends, once, and nobody goes on as a worker but the engine.
    async fn end(self) {
        let waiting = Filter { status: Some(Status::Waiting), ..Filter::default() };
        let far = self.engine.find_all(waiting, usize::MAX).await.expect("an answer");
        let now = |task: Task| Act {
            id: task.id,
            guard: Guard::Version(task.version),
            deed: Deed::Reschedule(When::Now),
        };
        self.engine.act_all(far.into_iter().map(now).collect()).await.expect("they are due");
        for parked in &self.parked {
            // Some were finished before.
            let _ = self.engine.finish(*parked, Outcome::Done).await;
        }
        self.witness.wait("the end of all tasks", "not exists (select 1 from trial_task)").await;
        let tally = self.witness.tally().await;
        assert_eq!((tally.ended, tally.doubled), (tally.added, 0), "{tally:?}");
        assert_eq!((tally.ended_wrong, tally.granted_twice, tally.effects_wrong), (0, 0, 0), "{tally:?}");
        let began = Instant::now();
        while self.alive().await > 1 {
            assert!(began.elapsed() < PATIENCE, "a worker lives that nobody has");
            tokio::time::sleep(POLL).await;
        }
    }

    async fn alive(&self) -> usize {
        let now = self.engine.now().await.expect("an answer");
        let workers = self.engine.workers().await.expect("an answer");
        workers.iter().filter(|worker| worker.is_alive(now)).count()
    }
}
