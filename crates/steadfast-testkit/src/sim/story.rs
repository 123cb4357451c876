//! What happens to the nodes of a seed: they crash, freeze, drain, and the store with them.

use super::chance::Chance;
use super::node::{self, LEASE, Node};
use super::operator;
use super::scenario::{PEACE_MAX, Scenario, Scene};
use super::world::NodeId;
use crate::checker::Event;
use std::sync::Arc;
use std::time::Duration;
use steadfast::{Error, Guard, Rewrite};
use steadfast_core::{Filter, Status, StoreError};

/// The nodes of a scene and what is done to them.
pub(crate) struct Story {
    scene: Arc<Scene>,
    nodes: Vec<Node>,
    next_node: NodeId,
    frozen: Vec<(Duration, NodeId)>,
    /// Until when the store is away.
    down: Option<Duration>,
}

impl Story {
    /// With so many nodes.
    pub(crate) fn new(scene: Arc<Scene>, nodes: u32) -> Self {
        let mut story = Self { scene, nodes: Vec::new(), next_node: 1, frozen: Vec::new(), down: None };
        (0..nodes).for_each(|_| story.start());
        story
    }

    fn start(&mut self) {
        self.nodes.push(node::start(&self.scene, self.next_node));
        self.next_node += 1;
    }

    /// Callers add, and everything goes wrong.
    pub(crate) fn rough(&mut self, scenario: Scenario) {
        let steps = u32::try_from(scenario.adds).unwrap().max(1);
        for _ in 0..scenario.adds {
            let pause = self.scene.world.now() + scenario.rough / steps;
            self.scene.play_until(pause);
            self.thaw_some(self.scene.world.now());
            self.come_back(self.scene.world.now());
            let at = self.scene.world.random().below(self.nodes.len());
            node::add(&self.scene, &self.nodes[at]);
            let roll = self.scene.world.random().below(100);
            match roll {
                0..=5 => self.crash(at),
                6..=10 => self.freeze(at),
                11..=12 => self.jump(),
                13..=16 => self.drain(at),
                17..=24 => operator::act_on_one(&self.scene, &self.nodes[at]),
                25..=44 => self.eject_one(at),
                45..=46 => self.outage(),
                47..=52 => self.tick(),
                53 if self.scene.world.random().percent(50) => node::add_crowd(&self.scene, &self.nodes[at]),
                _ => {}
            }
        }
    }

    /// A power cut; another process takes its place.
    fn crash(&mut self, at: usize) {
        let node = self.nodes.remove(at);
        self.scene.fault("crash", format_args!("node {} crashes", node.id));
        self.scene.world.crash(node.id);
        self.start();
    }

    fn freeze(&mut self, at: usize) {
        let id = self.nodes[at].id;
        let wait = LEASE.mul_f64(0.5) + Duration::from_millis(self.scene.world.random().next() % 4000);
        self.scene.fault("freeze", format_args!("node {id} freezes for {wait:?}"));
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
        self.scene.fault("clock jump", format_args!("the store's clock jumps by {by:?}"));
        self.scene.world.jump(by);
    }

    /// Nobody reaches the store for a while, perhaps for longer than a lease.
    fn outage(&mut self) {
        let wait = Duration::from_millis(self.scene.world.random().next() % 4000);
        self.scene.fault("outage", format_args!("the store is away for {wait:?}"));
        self.scene.chance.lock().unwrap().down = true;
        self.down = Some(self.scene.world.now() + wait);
    }

    fn come_back(&mut self, now: Duration) {
        if self.down.take_if(|until| *until <= now).is_some() {
            self.scene.world.note("the store is back");
            self.scene.chance.lock().unwrap().down = false;
        }
    }

    /// Every node hears the clock and adds what is due by it.
    fn tick(&mut self) {
        let second = self.scene.world.now().as_secs();
        self.scene.sometimes.lock().unwrap().saw("tick");
        self.nodes.iter().for_each(|node| node::add_tick(&self.scene, node, second));
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
        self.scene.fault("drain", format_args!("node {id} drains"));
        let scene = self.scene.clone();
        self.scene.world.spawn(
            id,
            Box::pin(async move {
                // Whoever is frozen hears of it later.
                scene.record(Event::Drain { node: format!("node-{id}") });
                let drained = engine.drain().await;
                scene.world.note(format_args!("node {id} drained: {drained:?}"));
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
                    scene.sometimes.lock().unwrap().saw("ejection unknown");
                }
            }),
        );
    }

    /// Shows that no slot leaked: in the last node left, as many runs as it has slots must meet.
    pub(crate) fn fill_all_slots(&mut self) {
        self.scene.play_until(self.scene.world.now() + LEASE * 2);
        while self.nodes.len() > 1 {
            self.drain_away(1);
        }
        self.scene.play_until(self.scene.world.now() + LEASE);
        (0..node::SLOTS).for_each(|_| node::add_barrier(&self.scene, &self.nodes[0]));
        self.scene.wait_for_peace();
    }

    /// Nothing goes wrong from now on.
    pub(crate) fn heal(&mut self) {
        self.scene.world.note("peace");
        self.scene.record(Event::Peace { within: u64::try_from(PEACE_MAX.as_micros()).unwrap() });
        *self.scene.chance.lock().unwrap() = Chance::default();
        self.thaw_some(Duration::MAX);
        operator::release_all(&self.scene);
    }
}
