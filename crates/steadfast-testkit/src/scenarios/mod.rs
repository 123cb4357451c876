//! The scenarios: what people rely on who come from `TwTasks`, from Tasks and Leases or from the Task Manager Service,
//! one sentence a scenario, on whole engines.
//!
//! Above each stand the ids that `docs/scenarios.md` knows it by. A store crate runs all of them from its
//! `tests/scenarios.rs` (with `harness = false`), as it runs the [suite](crate::suite).

mod adding;
mod home;
mod leases;
mod operating;
mod retries;
mod tally;

pub use home::Home;

use libtest_mimic::{Arguments, Trial};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use steadfast::core::seam::Future;
use steadfast::{Builder, Engine, New, Policy, Retry, Status, Task, TaskId};

const HOUR: Duration = Duration::from_secs(3600);
/// Nothing here takes so many seconds, unless it never comes.
const PATIENCE_S: usize = 60;

/// One scenario: its topic, its sentence, and what shows it.
struct Scenario {
    name: String,
    run: Box<dyn Fn(Arc<Home>) -> Future<()> + Send>,
}

/// Makes a fresh home.
type Homes = dyn Fn() -> Future<Home> + Send + Sync;

/// Runs the scenarios as the tests of a program: the `main` of a store's `tests/scenarios.rs`.
pub fn main(home: impl Fn() -> Future<Home> + Send + Sync + 'static) -> ExitCode {
    let homes: Arc<Homes> = Arc::new(home);
    let topics = [adding::all(), retries::all(), operating::all(), leases::all()];
    let trials = topics.into_iter().flatten().map(|scenario| trial(scenario, homes.clone())).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn trial(scenario: Scenario, homes: Arc<Homes>) -> Trial {
    Trial::test(scenario.name, move || {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = runtime.expect("a runtime");
        let home = Arc::new(runtime.block_on(homes()));
        runtime.block_on((scenario.run)(home.clone()));
        // Engines end with their runtime; only then may their home go.
        drop(runtime);
        drop(home);
        Ok(())
    })
}

/// A scenario by its function, whose path is its topic and its sentence.
fn scenario<F, R>(run: F) -> Scenario
where
    F: Fn(Arc<Home>) -> R + Send + 'static,
    R: std::future::Future<Output = ()> + Send + 'static,
{
    let path = std::any::type_name::<F>();
    let name = path.rsplit_once("scenarios::").map_or(path, |(_, name)| name).to_owned();
    Scenario { name, run: Box::new(move |home| Box::pin(run(home))) }
}

/// Waits for a task's end, or its `error`.
async fn end(engine: &Engine, id: TaskId) -> Task {
    match patiently(engine.wait(id)).await {
        Some(ended) => ended.expect("an answer").expect("the history has it"),
        None => give_up(engine, id).await,
    }
}

/// Looks until the task has the status, which is none that it ends with.
async fn until(engine: &Engine, id: TaskId, status: Status) -> Task {
    let reached = async {
        loop {
            let task = get(engine, id).await;
            if task.status == status {
                return task;
            }
            tokio::task::yield_now().await;
        }
    };
    match patiently(reached).await {
        Some(task) => task,
        None => give_up(engine, id).await,
    }
}

/// Waits second by second: one in which the whole machine stood still counts once, however long it was.
async fn patiently<T>(coming: impl std::future::Future<Output = T>) -> Option<T> {
    let mut coming = std::pin::pin!(coming);
    for _ in 0..PATIENCE_S {
        if let Ok(came) = tokio::time::timeout(Duration::from_secs(1), &mut coming).await {
            return Some(came);
        }
    }
    None
}

/// Says where the task stands instead, and why.
async fn give_up(engine: &Engine, id: TaskId) -> ! {
    let (task, why, workers) = (get(engine, id).await, engine.why(id).await, engine.workers().await);
    panic!("it does not get there: {why:?}; {task:?}; {workers:?}")
}

async fn get(engine: &Engine, id: TaskId) -> Task {
    engine.get(id).await.expect("an answer").expect("the task is kept")
}

async fn add(engine: &Engine, new: New) -> Task {
    let id = engine.add(new).await.expect("it is added").id;
    get(engine, id).await
}

/// With quick sweeps, which may judge runs of others after a third of a lease.
fn sweeping(builder: Builder) -> Builder {
    builder.configure(|config| {
        config.lease = Duration::from_secs(3);
        config.sweep = Duration::from_millis(20);
    })
}

/// A policy that tries so often, at once.
fn at_once(times: u32) -> Policy {
    let mut policy = Policy::default();
    policy.retry = Retry::immediate(times);
    policy
}
