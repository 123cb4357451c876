//! Time, chance and who is polled next.

use crate::random::Random;
use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;
use steadfast_core::seam::Future;
use steadfast_core::{Clock, Runtime, Time};

/// The name of a simulated process. A restarted process is another node.
pub(crate) type NodeId = u32;
type TaskNo = u64;

/// One thread, one seed: everything that happens, happens here.
pub struct World {
    state: Mutex<State>,
    ready: Arc<Mutex<BTreeSet<TaskNo>>>,
    random: Mutex<Random>,
    trace: Mutex<Vec<String>>,
}

struct State {
    now: Duration,
    /// How far the store's clock is ahead.
    skew: Duration,
    tasks: BTreeMap<TaskNo, SimTask>,
    next_task: TaskNo,
    timers: BTreeMap<(Duration, u64), Waker>,
    next_timer: u64,
    frozen: BTreeSet<NodeId>,
}

struct SimTask {
    node: NodeId,
    /// Not there while it is being polled.
    future: Option<Future<()>>,
}

impl World {
    /// The world of a seed.
    pub fn new(seed: u64) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new(State {
                now: Duration::ZERO,
                skew: Duration::ZERO,
                tasks: BTreeMap::new(),
                next_task: 0,
                timers: BTreeMap::new(),
                next_timer: 0,
                frozen: BTreeSet::new(),
            }),
            ready: Arc::default(),
            random: Mutex::new(Random::new(seed)),
            trace: Mutex::default(),
        })
    }

    /// Everything that happened, a line an event.
    pub fn trace(&self) -> Vec<String> {
        self.trace.lock().unwrap().clone()
    }

    pub(crate) fn note(&self, event: impl std::fmt::Display) {
        let now = self.now();
        self.trace.lock().unwrap().push(format!("{:>12} {event}", now.as_micros()));
    }

    pub(crate) fn now(&self) -> Duration {
        self.state().now
    }

    pub(crate) fn random(&self) -> MutexGuard<'_, Random> {
        self.random.lock().unwrap()
    }

    pub(crate) fn spawn(&self, node: NodeId, future: Future<()>) {
        let mut state = self.state();
        let no = state.next_task;
        state.next_task += 1;
        state.tasks.insert(no, SimTask { node, future: Some(future) });
        self.ready.lock().unwrap().insert(no);
    }

    pub(crate) fn sleep(self: &Arc<Self>, wait: Duration) -> Sleep {
        Sleep { until: self.now().saturating_add(wait), world: self.clone(), timer: None }
    }

    pub(crate) fn freeze(&self, node: NodeId) {
        self.state().frozen.insert(node);
    }

    pub(crate) fn thaw(&self, node: NodeId) {
        self.state().frozen.remove(&node);
    }

    /// How many futures of a node have not ended.
    pub(crate) fn futures(&self, node: NodeId) -> usize {
        self.state().tasks.values().filter(|task| task.node == node).count()
    }

    /// Moves the store's clock ahead of everybody else's.
    pub(crate) fn jump(&self, by: Duration) {
        self.state().skew += by;
    }

    /// Ends a node as a power cut would: all it was doing is gone.
    pub(crate) fn crash(&self, node: NodeId) {
        let mut state = self.state();
        state.frozen.remove(&node);
        let gone: Vec<TaskNo> =
            state.tasks.iter().filter(|(_, task)| task.node == node).map(|(no, _)| *no).collect();
        let futures: Vec<_> = gone.iter().filter_map(|no| state.tasks.remove(no)).collect();
        drop(state);
        // Dropped without the lock: what is dropped may wake others.
        drop(futures);
    }

    /// Polls one task, or lets time pass to the next timer. False when nothing will ever happen again.
    pub fn step(&self) -> bool {
        match self.next_ready() {
            Some(no) => self.poll(no),
            None => return self.pass_time(),
        }
        true
    }

    /// Chance decides who is next among those that could go on.
    fn next_ready(&self) -> Option<TaskNo> {
        let state = self.state();
        let mut ready = self.ready.lock().unwrap();
        ready.retain(|no| state.tasks.contains_key(no));
        let able: Vec<TaskNo> =
            ready.iter().copied().filter(|no| !state.frozen.contains(&state.tasks[no].node)).collect();
        if able.is_empty() {
            return None;
        }
        let no = *self.random.lock().unwrap().pick(&able);
        ready.remove(&no);
        Some(no)
    }

    fn poll(&self, no: TaskNo) {
        let Some(mut future) = self.state().tasks.get_mut(&no).and_then(|task| task.future.take()) else {
            return;
        };
        let waker = Waker::from(Arc::new(Ring { no, ready: self.ready.clone() }));
        let poll = future.as_mut().poll(&mut Context::from_waker(&waker));
        let mut state = self.state();
        match poll {
            Poll::Ready(()) => drop(state.tasks.remove(&no)),
            Poll::Pending => {
                if let Some(task) = state.tasks.get_mut(&no) {
                    task.future = Some(future);
                }
            }
        }
    }

    fn pass_time(&self) -> bool {
        let mut state = self.state();
        let Some((&(at, _), _)) = state.timers.first_key_value() else { return false };
        state.now = state.now.max(at);
        let mut due = Vec::new();
        while let Some(timer) = state.timers.first_entry().filter(|timer| timer.key().0 <= at) {
            due.push(timer.remove());
        }
        drop(state);
        due.into_iter().for_each(Waker::wake);
        true
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }
}

/// Marks a task as ready.
struct Ring {
    no: TaskNo,
    ready: Arc<Mutex<BTreeSet<TaskNo>>>,
}

impl Wake for Ring {
    fn wake(self: Arc<Self>) {
        self.ready.lock().unwrap().insert(self.no);
    }
}

/// A timer of the world.
pub(crate) struct Sleep {
    until: Duration,
    world: Arc<World>,
    timer: Option<(Duration, u64)>,
}

impl std::future::Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let world = self.world.clone();
        let mut state = world.state();
        if state.now >= self.until {
            return Poll::Ready(());
        }
        let timer = self.timer.unwrap_or_else(|| {
            state.next_timer += 1;
            (self.until, state.next_timer)
        });
        state.timers.insert(timer, context.waker().clone());
        drop(state);
        self.timer = Some(timer);
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some(timer) = self.timer {
            let waker = self.world.state().timers.remove(&timer);
            drop(waker);
        }
    }
}

/// The store's clock.
pub(crate) struct WorldClock(pub(crate) Arc<World>);

impl Clock for WorldClock {
    fn now(&self) -> Time {
        let state = self.0.state();
        Time::from_micros(1_700_000_000_000_000).after(state.now + state.skew)
    }
}

/// What an engine on a node runs on.
pub(crate) struct NodeRuntime {
    pub(crate) world: Arc<World>,
    pub(crate) node: NodeId,
}

impl Runtime for NodeRuntime {
    fn spawn(&self, future: Future<()>) {
        self.world.spawn(self.node, future);
    }

    /// As if there were several: runs of a lot are taken in turns.
    fn threads(&self) -> usize {
        2
    }

    fn spawn_apart(&self, _: &str, future: Future<()>) {
        self.world.spawn(self.node, future);
    }

    fn sleep(&self, wait: Duration) -> Future<()> {
        Box::pin(self.world.sleep(wait))
    }

    fn monotonic(&self) -> Duration {
        self.world.now()
    }

    fn unix_ms(&self) -> u64 {
        1_700_000_000_000 + u64::try_from(self.world.now().as_millis()).unwrap()
    }

    fn random(&self) -> u64 {
        self.world.random().next()
    }
}
