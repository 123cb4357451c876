//! One engine without faults, in simulated time: when its runs start under limits.

use super::world::{NodeRuntime, World, WorldClock};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use steadfast::{Builder, Engine, Handler, Limit, New, Run};
use steadfast_memory::MemoryStore;

const NODE: u32 = 1;

/// A backlog of a limited kind, and tasks of another kind behind it.
#[derive(Debug)]
pub struct Pace {
    /// What the kind is limited to.
    pub limit: Limit,
    /// How long each of its runs takes.
    pub work: Duration,
    /// How many there are.
    pub backlog: usize,
    /// Tasks of another kind, one each second.
    pub others: usize,
    /// How long to watch.
    pub time: Duration,
}

/// What was seen.
#[derive(Debug, Default)]
pub struct Paced {
    /// When runs of the limited kind started.
    pub starts: Vec<Duration>,
    /// The most of them at once.
    pub most: usize,
    /// How long each of the other kind waited for its start.
    pub waits: Vec<Duration>,
    running: usize,
}

impl Pace {
    /// Plays it.
    pub fn run(self) -> Paced {
        let world = World::new(1);
        let paced: Arc<Mutex<Paced>> = Arc::default();
        let (at, seen, time) = (world.clone(), paced.clone(), self.time);
        world.spawn(NODE, Box::pin(async move { self.play(&at, &seen).await }));
        while world.now() < time && world.step() {}
        std::mem::take(&mut paced.lock().unwrap())
    }

    async fn play(self, world: &Arc<World>, paced: &Arc<Mutex<Paced>>) {
        let engine = self.start(world, paced).await;
        for left in (0..self.backlog).step_by(1000) {
            let n = (self.backlog - left).min(1000);
            engine.add_many((0..n).map(|_| New::kind("limited", ""))).await.unwrap();
        }
        for _ in 0..self.others {
            let now = u64::try_from(world.now().as_micros()).unwrap();
            engine.add(New::json("other", &now)).await.unwrap();
            world.sleep(Duration::from_secs(1)).await;
        }
        std::future::pending::<()>().await;
    }

    async fn start(&self, world: &Arc<World>, paced: &Arc<Mutex<Paced>>) -> Engine {
        let store = Arc::new(MemoryStore::new(Arc::new(WorldClock(world.clone()))));
        let runtime = Arc::new(NodeRuntime { world: world.clone(), node: NODE });
        let builder = Builder::on(store.clone(), store).runtime(runtime);
        let builder = builder.register(limited(world, paced, self.work).limit(self.limit.clone()));
        builder.register(other(world, paced)).start().await.unwrap()
    }
}

fn limited(world: &Arc<World>, paced: &Arc<Mutex<Paced>>, work: Duration) -> Handler {
    let (world, paced) = (world.clone(), paced.clone());
    Handler::of("limited", move |_: Run| {
        let (world, paced) = (world.clone(), paced.clone());
        async move {
            paced.lock().unwrap().started(world.now());
            world.sleep(work).await;
            paced.lock().unwrap().running -= 1;
        }
    })
}

fn other(world: &Arc<World>, paced: &Arc<Mutex<Paced>>) -> Handler {
    let (world, paced) = (world.clone(), paced.clone());
    Handler::of("other", move |run: Run| {
        let (world, paced) = (world.clone(), paced.clone());
        async move {
            let added = Duration::from_micros(run.payload().unwrap());
            paced.lock().unwrap().waits.push(world.now().saturating_sub(added));
        }
    })
}

impl Paced {
    fn started(&mut self, now: Duration) {
        self.starts.push(now);
        self.running += 1;
        self.most = self.most.max(self.running);
    }
}
