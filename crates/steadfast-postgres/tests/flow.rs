//! Flows on PostgreSQL: steps, retries that end elsewhere, and ejections between engines with connections of their own.
// A test that cannot go on says so by a panic.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::Schema;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use steadfast::{
    BoxError, Builder, Engine, Guard, Handler, New, Outcome, Policy, Retry, Rewrite, Run, Status, Task,
};
use tokio::sync::mpsc;

const EJECTIONS: usize = 200;

async fn start(schema: &Schema, handler: Handler) -> Engine {
    let store = Arc::new(schema.open().await);
    Builder::on(store.clone(), store).register(handler).start().await.unwrap()
}

async fn done(engine: &Engine, task: steadfast::TaskId) -> Task {
    let ended = tokio::time::timeout(Duration::from_secs(30), engine.wait(task)).await;
    let task = ended.expect("it ends").unwrap().unwrap();
    assert_eq!(task.status, Status::Done, "{task:?}");
    task
}

// L-13, M-15.
#[tokio::test(flavor = "multi_thread")]
async fn a_flow_of_many_steps_ends_elsewhere_when_its_retries_are_used_up() {
    let schema = Schema::new();
    let flow = Handler::prefix("flow.", |run: Run| async move {
        let n: u64 = run.payload()?;
        Ok::<_, BoxError>(match (run.task().kind.as_str(), n) {
            ("flow.sorry", _) => Outcome::Done,
            (_, 250) => Outcome::retry("stuck").or_else(Outcome::kind("flow.sorry").with(&(n + 1))),
            _ => Outcome::step(n.to_string()).with(&(n + 1)),
        })
    });
    let mut policy = Policy::default();
    policy.retry = Retry::immediate(2);
    let engine = start(&schema, flow.policy(policy)).await;
    let added = engine.add(New::json("flow.count", &0)).await.unwrap();
    let task = done(&engine, added.id).await;
    assert_eq!((task.kind.as_str(), task.step, task.failures), ("flow.sorry", None, 0));
    assert_eq!((task.payload.unwrap().bytes.as_ref(), task.errors.all().len()), (&b"251"[..], 3));
    // Three turns of steps, two more tries, and the other kind.
    assert_eq!(task.grant.get(), 6);
}

// L-04, L-20.
#[tokio::test(flavor = "multi_thread")]
async fn ejections_between_engines_have_one_continuation_each() {
    let schema = Schema::new();
    let (begun, mut begins) = mpsc::unbounded_channel();
    let continued = Arc::new(AtomicUsize::new(0));
    let flow = || {
        let (begun, continued) = (begun.clone(), continued.clone());
        Handler::of("flow", move |run: Run| {
            let (begun, continued) = (begun.clone(), continued.clone());
            async move {
                if run.task().step.is_some() {
                    continued.fetch_add(1, Ordering::SeqCst);
                    run.output("taken");
                    return;
                }
                begun.send(run.task().clone()).unwrap();
                run.cancelled().await;
                run.output("too late");
            }
        })
    };
    let old = start(&schema, flow()).await;
    old.add_many((0..EJECTIONS).map(|n| New::json("flow", &n))).await.unwrap();
    let new = start(&schema, flow()).await;
    let mut taken = tokio::task::JoinSet::new();
    for _ in 0..EJECTIONS {
        let (task, new) = (begins.recv().await.unwrap(), new.clone());
        taken.spawn(async move {
            new.eject(task.id, Guard::Grant(task.grant), Rewrite::step("taken")).await.unwrap()
        });
    }
    while let Some(task) = taken.join_next().await {
        let task = done(&new, task.unwrap().id).await;
        assert_eq!((task.output.as_deref(), task.grant.get()), (Some("taken"), 2));
    }
    assert_eq!(continued.load(Ordering::SeqCst), EJECTIONS);
    for engine in [old, new] {
        let drained = engine.drain().await.unwrap();
        assert_eq!((drained.given_back, drained.left_behind), (0, 0));
    }
}
