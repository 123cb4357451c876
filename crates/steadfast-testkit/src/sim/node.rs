//! A simulated process: an engine with handlers that take their time, and callers who add.

use super::recorder::TICK;
use super::scenario::Scene;
use super::world::NodeId;
use crate::checker::Event;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use steadfast::{
    Builder, Engine, Error, Handler, Limit, New, Outcome, Policy, Rate, Retry, Run, TaskId, When,
};
use steadfast_core::StoreError;

/// Where hints travel: no process, so it never crashes.
pub(crate) const NOWHERE: NodeId = 0;
/// Kinds that the nodes handle.
const KINDS: [&str; 11] =
    ["quick", "slow", "limited", "rated", "booked", "shared", "steps", "parks", "hangs", "pays", "tells"];
/// Runs of the kind `shared` at once in all nodes together.
pub(crate) const SHARED_MAX: u32 = 2;
/// Runs at once in a node.
pub(crate) const SLOTS: usize = 4;
/// Callers who add at once now and then.
const CROWD: usize = 160;
/// Lease of every node.
pub(crate) const LEASE: Duration = Duration::from_secs(2);

/// A node and the engine that its callers reach, once it has started.
#[derive(Clone)]
pub(crate) struct Node {
    pub(crate) id: NodeId,
    pub(crate) engine: Arc<Mutex<Option<Engine>>>,
}

/// Starts an engine on a new node; it keeps trying while the store does not answer.
pub(crate) fn start(scene: &Arc<Scene>, id: NodeId) -> Node {
    let engine = Arc::new(Mutex::new(None));
    let (at, scene) = (engine.clone(), scene.clone());
    let world = scene.world.clone();
    world.spawn(
        id,
        Box::pin(async move {
            while at.lock().unwrap().is_none() {
                match build(&scene, id).start().await {
                    Ok(started) => *at.lock().unwrap() = Some(started),
                    Err(_) => scene.world.sleep(Duration::from_millis(100)).await,
                }
            }
            scene.world.note(format_args!("node {id} is up"));
            // The engine lives as long as its process.
            std::future::pending::<()>().await;
        }),
    );
    Node { id, engine }
}

fn build(scene: &Arc<Scene>, id: NodeId) -> Builder {
    let mut builder = Builder::on(Arc::new(scene.store(id)), Arc::new(scene.hints()))
        .runtime(Arc::new(scene.runtime(id)))
        .configure(|config| {
            config.name = format!("node-{id}");
            config.slots = SLOTS;
            config.lease = LEASE;
            config.grace = Duration::from_millis(300);
        });
    for kind in KINDS {
        builder = builder.register(handler(scene, id, kind));
    }
    builder.register(barrier(scene))
}

/// Ends only when as many of its runs as there are slots have begun.
fn barrier(scene: &Arc<Scene>) -> Handler {
    let scene = scene.clone();
    Handler::of("barrier", move |_: Run| {
        let scene = scene.clone();
        async move {
            *scene.at_barrier.lock().unwrap() += 1;
            while *scene.at_barrier.lock().unwrap() < SLOTS {
                scene.world.sleep(Duration::from_millis(10)).await;
            }
        }
    })
}

fn handler(scene: &Arc<Scene>, id: NodeId, kind: &'static str) -> Handler {
    let (scene, ledger) = (scene.clone(), scene.ledger.clone());
    let mut policy = Policy::default();
    policy.retry = Retry::fixed(Duration::from_millis(200), 1000);
    policy.lost_max = 1000;
    policy.deadline = if kind == "hangs" { Duration::from_secs(2) } else { Policy::DEADLINE };
    let handler = Handler::of(kind, move |run: Run| {
        let scene = scene.clone();
        async move {
            let _alone = Alone::enter(&scene, id, run.task().id);
            behave(&scene, kind, &run).await
        }
    })
    .policy(policy);
    match kind {
        "limited" => handler.limit(Limit::named("group", 3).stretch(2, 20)).limit(2),
        "rated" => handler.limit(Limit::named("group", 3).stretch(2, 20)).limit(Rate::per_second(20)),
        "booked" => handler.book(ledger),
        "shared" => handler.cluster_limit("shared", SHARED_MAX),
        _ => handler,
    }
}

/// What the runs of a kind do. Sooner or later each of them is done.
async fn behave(scene: &Arc<Scene>, kind: &str, run: &Run) -> Result<Outcome, String> {
    let (wait_ms, fails) = {
        let mut random = scene.world.random();
        (
            random.next() % if matches!(kind, "slow" | "tells") { 1500 } else { 20 },
            random.percent(scene.failing()),
        )
    };
    scene.world.sleep(Duration::from_millis(wait_ms)).await;
    match (kind, run.task().step.as_deref()) {
        _ if fails => Err(format!("chance, attempt {}", run.task().attempt)),
        ("steps", None) => Ok(Outcome::step("second")),
        ("steps", Some("second")) => Ok(Outcome::step("last")),
        ("pays", _) => {
            let (scene, task) = (scene.clone(), run.task().id);
            Ok(steadfast_memory::effects(move || {
                scene.record(Event::Effect { task: task.to_string() });
                Ok::<_, String>(Outcome::Done)
            }))
        }
        ("tells", _) => {
            scene.show(run.token());
            Ok(Outcome::Done)
        }
        ("parks", _) if run.task().failures == 0 => {
            Ok(Outcome::Later { until: When::After(Duration::from_millis(700)) })
        }
        ("hangs", _) if run.task().failures == 0 && fails_often(scene) => {
            std::future::pending::<()>().await;
            Ok(Outcome::Done)
        }
        _ => Ok(Outcome::Done),
    }
}

fn fails_often(scene: &Arc<Scene>) -> bool {
    scene.failing() > 0 && scene.world.random().percent(50)
}

/// Shows that a process never runs a task twice at once.
struct Alone {
    scene: Arc<Scene>,
    task: String,
    node: String,
}

impl Alone {
    fn enter(scene: &Arc<Scene>, node: NodeId, task: TaskId) -> Self {
        let alone = Self { scene: scene.clone(), task: task.to_string(), node: format!("node-{node}") };
        scene.record(Event::Start { task: alone.task.clone(), node: alone.node.clone() });
        alone
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        let (task, node) = (std::mem::take(&mut self.task), std::mem::take(&mut self.node));
        self.scene.record(Event::Stop { task, node });
    }
}

/// A caller in the node adds one task; what it was told goes into the history.
pub(crate) fn add(scene: &Arc<Scene>, node: &Node) {
    let new = new_task(scene);
    add_new(scene, node, new);
}

/// The same for a tick, which others may have heard too.
pub(crate) fn add_tick(scene: &Arc<Scene>, node: &Node, time: u64) {
    add_new(scene, node, New::kind("quick", "").key(format!("{TICK}night@{time}")));
}

/// The same by so many callers that they fill two batches; some of them want to be run in order.
pub(crate) fn add_crowd(scene: &Arc<Scene>, node: &Node) {
    for number in 0..CROWD {
        let new = New::kind("quick", "");
        add_new(scene, node, if number.is_multiple_of(30) { new.serial("crowd") } else { new });
    }
}

/// The same with a task that waits for others like it.
pub(crate) fn add_barrier(scene: &Arc<Scene>, node: &Node) {
    add_new(scene, node, New::kind("barrier", ""));
}

fn add_new(scene: &Arc<Scene>, node: &Node, new: New) {
    let Some(engine) = node.engine.lock().unwrap().clone() else { return };
    let (scene, id) = (scene.clone(), node.id);
    let world = scene.world.clone();
    world.spawn(
        id,
        Box::pin(async move {
            let call = scene.recorder.lock().unwrap().called();
            match engine.add(new).await {
                Ok(added) => {
                    scene.world.note(format_args!("node {id} added {}", added.id));
                    scene.record(Event::Told { call, task: added.id.to_string() });
                }
                Err(Error::Store(StoreError::Refused(_))) => scene.record(Event::Refused { call }),
                Err(_) => {}
            }
        }),
    );
}

fn new_task(scene: &Arc<Scene>) -> New {
    let mut random = scene.world.random();
    let mut new = New::kind(*random.pick(&KINDS), "").priority(i64::try_from(random.below(10)).unwrap());
    if random.percent(20) {
        new = new.after(Duration::from_millis(random.next() % 3000));
    }
    match random.below(10) {
        0 => new.key(format!("key-{}", random.below(20))),
        1 => new.serial(format!("serial-{}", random.below(3))),
        _ => new,
    }
}
