//! Whoever stops tasks and lets them go on, at the worst of times.

use super::node::{NOWHERE, Node};
use super::scenario::Scene;
use std::sync::Arc;
use std::time::Duration;
use steadfast::{Deed, Guard, When};
use steadfast_core::{Act, Filter, Scope, Status, Store, Task};

/// How often, and how many times, what is paused is let go when peace has come: a pause may still be on its way.
const RELEASE_EVERY: Duration = Duration::from_millis(500);
const RELEASES: usize = 8;

/// A person finds something and does to it what fits.
pub(crate) fn act_on_one(scene: &Arc<Scene>, node: &Node) {
    let Some(engine) = node.engine.lock().unwrap().clone() else { return };
    let roll = scene.world.random().below(10);
    let (scope, status) = match roll {
        0..=3 => (Scope::Live, Status::Running),
        4 => (Scope::Live, Status::Ready),
        5..=7 => (Scope::Live, Status::Paused),
        _ => (Scope::History, Status::Cancelled),
    };
    let (world, id) = (scene.world.clone(), node.id);
    scene.world.spawn(
        id,
        Box::pin(async move {
            let filter = Filter { scope, status: Some(status), ..Filter::default() };
            let Ok(page) = engine.find(filter, None, 10).await else { return };
            let Some(task) = page.tasks.get(roll % page.tasks.len().max(1)) else { return };
            let (guard, deed) = fitting(task, roll);
            let name = deed.name();
            let acted = engine.act(task.id, guard, deed).await;
            world.note(format_args!("node {id}: a person wants to {name} {}: {}", task.id, acted.is_ok()));
        }),
    );
}

/// What one does to a task in this status. A run is named by its grant, so that it cannot escape by a save.
fn fitting(task: &Task, roll: usize) -> (Guard, Deed) {
    let version = Guard::Version(task.version);
    match task.status {
        Status::Running if roll.is_multiple_of(2) => (Guard::Grant(task.grant), Deed::Cancel),
        Status::Running => (Guard::Grant(task.grant), Deed::Pause),
        Status::Paused => (version, Deed::Release),
        Status::Cancelled => (version, Deed::Again(When::Now)),
        _ => (version, Deed::Pause),
    }
}

/// Lets everything go that somebody paused.
pub(crate) fn release_all(scene: &Arc<Scene>) {
    let (world, store) = (scene.world.clone(), scene.store(NOWHERE));
    scene.world.spawn(
        NOWHERE,
        Box::pin(async move {
            for _ in 0..RELEASES {
                world.sleep(RELEASE_EVERY).await;
                let filter = Filter { status: Some(Status::Paused), ..Filter::default() };
                let page = store.find(filter, None, 1000).await.expect("nothing fails in peace");
                let release = |task: &Task| Act {
                    id: task.id,
                    guard: Guard::Version(task.version),
                    deed: Deed::Release,
                };
                let acts: Vec<Act> = page.tasks.iter().map(release).collect();
                store.act(acts).await.expect("nothing fails in peace");
            }
        }),
    );
}
