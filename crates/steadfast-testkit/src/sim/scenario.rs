//! A seed's story: some nodes, a rough while, then peace, and the check that nothing was lost.

use super::chance::Chance;
use super::hints::RoughHints;
use super::history::{History, Sometimes};
use super::ledger::Ledger;
use super::node::{self, LEASE, Node};
use super::store::RoughStore;
use super::world::{NodeId, NodeRuntime, World, WorldClock};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use steadfast::{Deed, Error, Guard, Rewrite};
use steadfast_core::seam::Ears;
use steadfast_core::{Filter, Scope, Status, Store, StoreError, TaskId, limit};
use steadfast_memory::MemoryStore;

/// How long after the last fault everything must have ended: the leases of those that vanished, the reap, the
/// longest delay before a start, the longest runs one after another in the slots there are.
const PEACE_MAX: Duration = Duration::from_secs(60);

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
    /// Everything, a line an event.
    pub trace: Vec<String>,
}

/// All that the parts of a story share.
pub(crate) struct Scene {
    pub(crate) world: Arc<World>,
    pub(crate) history: Arc<Mutex<History>>,
    memory: MemoryStore,
    ears: Ears,
    chance: Arc<Mutex<Chance>>,
    sometimes: Arc<Mutex<Sometimes>>,
    /// What users' own limits were told, in all nodes.
    pub(crate) ledger: Arc<Ledger>,
    /// Runs that wait for each other.
    pub(crate) at_barrier: Mutex<usize>,
}

impl Scenario {
    /// A small cluster for a short while.
    pub fn of(seed: u64) -> Self {
        Self { seed, nodes: 3, adds: 60, rough: Duration::from_secs(15) }
    }

    /// Plays it.
    pub fn run(self) -> Report {
        let scene = Arc::new(Scene::new(self.seed));
        let mut story = Story { scene: scene.clone(), nodes: Vec::new(), next_node: 1, frozen: Vec::new() };
        (0..self.nodes).for_each(|_| story.start());
        story.rough(self);
        story.heal();
        scene.wait_for_peace();
        story.fill_all_slots();
        let ended = scene.all(Scope::History);
        scene.report(&ended)
    }
}

impl Scene {
    fn new(seed: u64) -> Self {
        let world = World::new(seed);
        let memory = MemoryStore::new(Arc::new(WorldClock(world.clone())));
        let chance = Arc::new(Mutex::new(Chance::rough()));
        let (history, sometimes) = (Arc::default(), Arc::default());
        Self {
            world,
            history,
            memory,
            ears: Ears::default(),
            chance,
            sometimes,
            ledger: Arc::default(),
            at_barrier: Mutex::new(0),
        }
    }

    pub(crate) fn store(&self, node: NodeId) -> RoughStore {
        RoughStore {
            world: self.world.clone(),
            node,
            inner: self.memory.clone(),
            chance: self.chance.clone(),
            history: self.history.clone(),
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

    /// Lets the world go on until a time.
    fn play_until(&self, end: Duration) {
        while self.world.now() < end && self.world.step() {}
    }

    /// Waits until nothing lives any more.
    fn wait_for_peace(&self) {
        let end = self.world.now() + PEACE_MAX;
        while self.world.now() < end {
            self.play_until(self.world.now() + Duration::from_secs(1));
            if self.all(Scope::Live).is_empty() {
                break;
            }
        }
        for task in self.all(Scope::Live) {
            self.history.lock().unwrap().faults.push(format!("task {task} is still alive"));
        }
    }

    fn all(&self, scope: Scope) -> BTreeSet<TaskId> {
        let (mut ids, mut after) = (BTreeSet::new(), None);
        loop {
            let filter = Filter { scope, ..Filter::default() };
            let page = now(self.memory.find(filter, after, limit::PAGE_MAX)).unwrap();
            ids.extend(page.tasks.iter().map(|task| task.id));
            after = page.next;
            if after.is_none() {
                return ids;
            }
        }
    }

    fn report(&self, ended: &BTreeSet<TaskId>) -> Report {
        let history = self.history.lock().unwrap();
        let lost =
            history.lost(ended).into_iter().map(|task| format!("task {task} was acknowledged and is lost"));
        let faults = history.faults.iter().cloned().chain(lost).chain(self.ledger.fault()).collect();
        let sometimes = *self.sometimes.lock().unwrap();
        Report { faults, sometimes, acknowledged: history.acknowledged.len(), trace: self.world.trace() }
    }
}

/// The nodes of a scene and what is done to them.
struct Story {
    scene: Arc<Scene>,
    nodes: Vec<Node>,
    next_node: NodeId,
    frozen: Vec<(Duration, NodeId)>,
}

impl Story {
    fn start(&mut self) {
        self.nodes.push(node::start(&self.scene, self.next_node));
        self.next_node += 1;
    }

    fn rough(&mut self, scenario: Scenario) {
        let steps = u32::try_from(scenario.adds).unwrap().max(1);
        for _ in 0..scenario.adds {
            let pause = self.scene.world.now() + scenario.rough / steps;
            self.scene.play_until(pause);
            self.thaw_some(self.scene.world.now());
            let at = self.scene.world.random().below(self.nodes.len());
            node::add(&self.scene, &self.nodes[at]);
            let roll = self.scene.world.random().below(100);
            match roll {
                0..=5 => self.crash(at),
                6..=10 => self.freeze(at),
                11..=12 => self.jump(),
                13..=16 => self.drain(at),
                17..=24 => self.cancel_one(at),
                25..=44 => self.eject_one(at),
                _ => {}
            }
        }
    }

    /// A power cut; another process takes its place.
    fn crash(&mut self, at: usize) {
        let node = self.nodes.remove(at);
        self.scene.world.note(format_args!("node {} crashes", node.id));
        self.scene.sometimes.lock().unwrap().crashes += 1;
        self.scene.world.crash(node.id);
        self.start();
    }

    fn freeze(&mut self, at: usize) {
        let id = self.nodes[at].id;
        let wait = LEASE.mul_f64(0.5) + Duration::from_millis(self.scene.world.random().next() % 4000);
        self.scene.world.note(format_args!("node {id} freezes for {wait:?}"));
        self.scene.sometimes.lock().unwrap().freezes += 1;
        self.scene.world.freeze(id);
        self.frozen.push((self.scene.world.now() + wait, id));
    }

    fn thaw_some(&mut self, until: Duration) {
        let (thawed, frozen) = std::mem::take(&mut self.frozen).into_iter().partition(|(at, _)| *at <= until);
        self.frozen = frozen;
        let thawed: Vec<(Duration, NodeId)> = thawed;
        for (_, id) in thawed {
            self.scene.world.note(format_args!("node {id} goes on"));
            self.scene.world.thaw(id);
        }
    }

    fn jump(&mut self) {
        let by = Duration::from_millis(self.scene.world.random().next() % 5000);
        self.scene.world.note(format_args!("the store's clock jumps by {by:?}"));
        self.scene.sometimes.lock().unwrap().jumps += 1;
        self.scene.world.jump(by);
    }

    /// A deploy: the old process drains while a new one starts.
    fn drain(&mut self, at: usize) {
        if self.nodes[at].engine.lock().unwrap().is_some() {
            self.drain_away(at);
            self.start();
        }
    }

    fn drain_away(&mut self, at: usize) {
        let Node { id, engine } = self.nodes.remove(at);
        let Some(engine) = engine.lock().unwrap().clone() else { return self.scene.world.crash(id) };
        self.scene.sometimes.lock().unwrap().drains += 1;
        let scene = self.scene.clone();
        self.scene.world.spawn(
            id,
            Box::pin(async move {
                let drained = engine.drain().await;
                scene.world.note(format_args!("node {id} drained: {drained:?}"));
            }),
        );
    }

    /// An operator cancels something that runs.
    fn cancel_one(&mut self, at: usize) {
        let Some(engine) = self.nodes[at].engine.lock().unwrap().clone() else { return };
        let (scene, id) = (self.scene.clone(), self.nodes[at].id);
        self.scene.world.spawn(
            id,
            Box::pin(async move {
                let filter = Filter { status: Some(steadfast::Status::Running), ..Filter::default() };
                let Ok(page) = engine.find(filter, None, 10).await else { return };
                let Some(task) = page.tasks.first() else { return };
                if engine.act(task.id, Guard::Grant(task.grant), Deed::Cancel).await.is_ok() {
                    scene.world.note(format_args!("{} cancelled", task.id));
                    scene.sometimes.lock().unwrap().cancels += 1;
                }
            }),
        );
    }

    /// A callback comes: its node takes over something that runs or is parked, perhaps its own.
    fn eject_one(&mut self, at: usize) {
        let Some(engine) = self.nodes[at].engine.lock().unwrap().clone() else { return };
        let (scene, id) = (self.scene.clone(), self.nodes[at].id);
        let roll = self.scene.world.random().below(10);
        let parked = self.scene.world.random().percent(30);
        self.scene.world.spawn(
            id,
            Box::pin(async move {
                let status = if parked { Status::Parked } else { Status::Running };
                let filter = Filter { status: Some(status), ..Filter::default() };
                let Ok(page) = engine.find(filter, None, 10).await else { return };
                let Some(task) = page.tasks.get(roll % page.tasks.len().max(1)) else { return };
                let rewrite = Rewrite::step("last").with(&"taken over");
                let taken = engine.eject(task.id, Guard::Grant(task.grant), rewrite).await;
                scene.world.note(format_args!("node {id} ejects {}: {}", task.id, taken.is_ok()));
                if let Err(Error::Store(StoreError::Unknown(_))) = taken {
                    scene.sometimes.lock().unwrap().ejections_unknown += 1;
                }
            }),
        );
    }

    /// Shows that no slot leaked: in the last node left, as many runs as it has slots must meet.
    fn fill_all_slots(&mut self) {
        self.scene.play_until(self.scene.world.now() + LEASE * 2);
        while self.nodes.len() > 1 {
            self.drain_away(1);
        }
        self.scene.play_until(self.scene.world.now() + LEASE);
        (0..node::SLOTS).for_each(|_| node::add_barrier(&self.scene, &self.nodes[0]));
        self.scene.wait_for_peace();
    }

    /// Nothing goes wrong from now on.
    fn heal(&mut self) {
        self.scene.world.note("peace");
        *self.scene.chance.lock().unwrap() = Chance::default();
        self.thaw_some(Duration::MAX);
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
