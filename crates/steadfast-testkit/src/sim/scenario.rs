//! A seed's story: some nodes, a rough while, then peace, and the check that nothing was lost.

use super::chance::Chance;
use super::faulty::{Faulty, Planted};
use super::hints::RoughHints;
use super::ledger::Ledger;
use super::node::{NOWHERE, SHARED_MAX};
use super::recorder::Recorder;
use super::sometimes::Sometimes;
use super::store::RoughStore;
use super::story::Story;
use super::under_way::UnderWay;
use super::world::{NodeId, NodeRuntime, World, WorldClock};
use crate::checker::{self, Event, History};
use crate::outside::{Answer, Outside};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use steadfast_core::seam::Ears;
use steadfast_core::{Fence, Filter, Scope, Store, TaskId, limit};
use steadfast_memory::MemoryStore;

/// How long after the last fault everything must have ended: the leases of those that vanished, the reap, the
/// longest delay before a start, the longest runs one after another in the slots there are.
pub(crate) const PEACE_MAX: Duration = Duration::from_secs(60);

/// Futures of a node that has nothing to do: its start, the engine's own five, and two calls of those.
const FUTURES_MAX: u64 = 8;

/// What to simulate.
#[derive(Debug, Clone, Copy)]
pub struct Scenario {
    /// Where all chance comes from.
    pub seed: u64,
    /// Processes at once.
    pub nodes: u32,
    /// Tasks that callers try to add.
    pub adds: usize,
    /// How long things go wrong.
    pub rough: Duration,
    /// A fault of the store, to see that it is found.
    pub planted: Option<Planted>,
}

/// What a seed came to.
#[derive(Debug)]
pub struct Report {
    /// What was not allowed; empty is good.
    pub faults: Vec<String>,
    /// What happened how often.
    pub sometimes: Sometimes,
    /// Tasks that callers were told of.
    pub acknowledged: usize,
    /// What was seen at the store and in the handlers, as the checker judged it.
    pub history: History,
    /// Everything, a line an event.
    pub trace: Vec<String>,
}

/// All that the parts of a story share.
pub(crate) struct Scene {
    pub(crate) world: Arc<World>,
    pub(crate) recorder: Arc<Mutex<Recorder>>,
    store: Arc<Faulty>,
    ears: Ears,
    pub(crate) chance: Arc<Mutex<Chance>>,
    pub(crate) sometimes: Arc<Mutex<Sometimes>>,
    /// What users' own limits were told, in all nodes.
    pub(crate) ledger: Arc<Ledger>,
    /// What runs talk to elsewhere.
    outside: Outside,
    /// Calls of each node at the store.
    under_way: Mutex<BTreeMap<NodeId, UnderWay>>,
    /// Runs that wait for each other.
    pub(crate) at_barrier: Mutex<usize>,
}

impl Scenario {
    /// A small cluster for a short while.
    pub fn of(seed: u64) -> Self {
        Self { seed, nodes: 3, adds: 60, rough: Duration::from_secs(15), planted: None }
    }

    /// Plays it.
    pub fn run(self) -> Report {
        let scene = Arc::new(Scene::new(self.seed, self.planted));
        scene.record(Event::Limit { kind: "shared".into(), max: SHARED_MAX.into() });
        scene.record(Event::Effects { kind: "pays".into() });
        let mut story = Story::new(scene.clone(), self.nodes);
        story.rough(self);
        story.heal();
        scene.wait_for_peace();
        story.fill_all_slots();
        scene.report()
    }
}

impl Scene {
    fn new(seed: u64, planted: Option<Planted>) -> Self {
        let world = World::new(seed);
        let memory = || MemoryStore::new(Arc::new(WorldClock(world.clone())));
        let store = Arc::new(Faulty::new(memory(), memory(), planted));
        let chance = Arc::new(Mutex::new(Chance::rough()));
        let recorder = Arc::new(Mutex::new(Recorder::new(&world)));
        Self {
            world,
            recorder,
            store,
            ears: Ears::default(),
            chance,
            sometimes: Arc::default(),
            ledger: Arc::default(),
            outside: Outside::default(),
            under_way: Mutex::default(),
            at_barrier: Mutex::new(0),
        }
    }

    pub(crate) fn store(&self, node: NodeId) -> RoughStore {
        RoughStore {
            world: self.world.clone(),
            node,
            faulty: self.store.clone(),
            under_way: self.under_way.lock().unwrap().entry(node).or_default().clone(),
            chance: self.chance.clone(),
            recorder: self.recorder.clone(),
            sometimes: self.sometimes.clone(),
        }
    }

    pub(crate) fn hints(&self) -> RoughHints {
        RoughHints {
            world: self.world.clone(),
            ears: self.ears.clone(),
            chance: self.chance.clone(),
            sometimes: self.sometimes.clone(),
        }
    }

    pub(crate) fn runtime(&self, node: NodeId) -> NodeRuntime {
        NodeRuntime { world: self.world.clone(), node }
    }

    /// Runs in a hundred that fail.
    pub(crate) fn failing(&self) -> usize {
        if self.chance.lock().unwrap().before > 0 { 10 } else { 0 }
    }

    pub(crate) fn record(&self, event: Event) {
        self.recorder.lock().unwrap().note(event);
    }

    /// A run shows its token to the system outside.
    pub(crate) fn show(&self, fence: Fence) {
        let taken = self.outside.show(fence) != Answer::Refused;
        self.sometimes.lock().unwrap().saw(if taken { "token taken" } else { "token refused" });
        let (task, grant) = (fence.task.to_string(), fence.grant.get());
        self.record(Event::Token { task, grant, taken });
    }

    /// Something is broken on purpose.
    pub(crate) fn fault(&self, what: &'static str, line: std::fmt::Arguments<'_>) {
        self.world.note(line);
        self.sometimes.lock().unwrap().saw(what);
        self.record(Event::Fault { what: what.replace(' ', "-") });
    }

    /// Lets the world go on until a time.
    pub(crate) fn play_until(&self, end: Duration) {
        while self.world.now() < end && self.world.step() {}
    }

    /// Waits until nothing lives any more.
    pub(crate) fn wait_for_peace(&self) {
        let end = self.world.now() + PEACE_MAX;
        while self.world.now() < end {
            self.play_until(self.world.now() + Duration::from_secs(1));
            if self.all(Scope::Live).is_empty() {
                break;
            }
        }
    }

    fn all(&self, scope: Scope) -> BTreeSet<TaskId> {
        let (mut ids, mut after) = (BTreeSet::new(), None);
        loop {
            let filter = Filter { scope, ..Filter::default() };
            let page = now(self.store.inner.find(filter, after, limit::PAGE_MAX)).unwrap();
            ids.extend(page.tasks.iter().map(|task| task.id));
            after = page.next;
            if after.is_none() {
                return ids;
            }
        }
    }

    /// How large everything got that must stay small.
    fn record_sizes(&self) {
        let nodes = self.under_way.lock().unwrap();
        // Calls from nowhere are a person's.
        for (node, under_way) in nodes.iter().filter(|(node, _)| **node != NOWHERE) {
            under_way.sizes().into_iter().for_each(|size| self.record(size));
            let (what, n) = ("futures".into(), self.world.futures(*node) as u64);
            self.record(Event::Size { what, n, max: FUTURES_MAX });
        }
    }

    fn report(&self) -> Report {
        let (used, fault) = self.ledger.left();
        self.record(Event::Slots { node: "book".into(), used });
        self.record_sizes();
        let recorder = self.recorder.lock().unwrap();
        let history = recorder.history().clone();
        Report {
            faults: checker::check(&history).into_iter().chain(fault).collect(),
            sometimes: self.sometimes.lock().unwrap().clone(),
            acknowledged: recorder.acknowledged().len(),
            history,
            trace: self.world.trace(),
        }
    }
}

/// The answer of a store that answers at once.
fn now<T>(answer: steadfast_core::seam::Answer<'_, T>) -> Result<T, steadfast_core::StoreError> {
    let mut answer = answer;
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match answer.as_mut().poll(&mut context) {
        std::task::Poll::Ready(answer) => answer,
        std::task::Poll::Pending => panic!("the memory store answers at once"),
    }
}
