//! Taking over tasks that somebody else runs.
// A test that cannot go on says so by a panic.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{Home, homes, memory, until};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use steadfast::{
    BoxError, Engine, Error, Fence, Guard, Handler, New, Outcome, Refusal, Rewrite, Run, Status, StoreError,
    Task, TaskId,
};
use tokio::sync::{Notify, mpsc};

/// Tells of its begin and goes on until it is told to stop, however often it is taken over before that; taken over, it
/// says who it is.
fn waits(name: &'static str, begun: &mpsc::UnboundedSender<Run>) -> Handler {
    let begun = begun.clone();
    Handler::of("flow", move |run: Run| {
        let begun = begun.clone();
        async move {
            if run.task().step.as_deref() == Some("taken") {
                run.output(format!("{name} {}", run.payload::<u32>()?));
                return Ok::<_, BoxError>(Outcome::Done);
            }
            begun.send(run.clone())?;
            run.cancelled().await;
            run.output("too late");
            Ok(Outcome::Done)
        }
    })
}

async fn eject(engine: &Engine, task: &Task) -> steadfast::Result<Task> {
    engine.eject(task.id, Guard::Grant(task.grant), Rewrite::step("taken").with(&7)).await
}

async fn get(engine: &Engine, id: TaskId) -> Task {
    engine.get(id).await.unwrap().unwrap()
}

fn refusal(error: Error) -> Refusal {
    match error {
        Error::Store(StoreError::Refused(refusal)) => refusal,
        other => panic!("not refused: {other:?}"),
    }
}

// L-04, L-20, L-22: the other engine goes on at once, the old holder can change nothing.
#[tokio::test(flavor = "multi_thread")]
async fn an_ejected_task_goes_on_here_and_the_old_run_changes_nothing() {
    for home in homes() {
        let (begun, mut runs) = mpsc::unbounded_channel();
        let old = home.builder().register(waits("old", &begun)).start().await.unwrap();
        let id = old.add(New::json("flow", &0)).await.unwrap().id;
        let run = runs.recv().await.unwrap();
        let new = home.builder().register(waits("new", &begun)).start().await.unwrap();
        let seen = get(&new, id).await;
        let taken = eject(&new, &seen).await.unwrap();
        assert_eq!((taken.grant, taken.attempt), (seen.grant.next(), 2));
        assert_ne!(taken.worker, seen.worker);
        for refused in [
            run.save(&1).await.unwrap_err(),
            run.extend(Duration::from_secs(9)).await.unwrap_err(),
            old.finish(run.token(), Outcome::Done).await.unwrap_err(),
        ] {
            assert_eq!(refused.code(), "grant-lost");
        }
        let task = until(&new, id, Status::Done).await;
        assert_eq!((task.output.as_deref(), task.step.as_deref()), (Some("new 7"), Some("taken")));
        // A run that is told to stop is over; nothing is left in the old engine.
        run.cancelled().await;
        let drained = old.drain().await.unwrap();
        assert_eq!((drained.given_back, drained.left_behind), (0, 0));
        assert_eq!(get(&new, id).await, task);
    }
}

// L-21: the same worker; the old run ends first, and what it says is dropped.
#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_ejects_its_own_run_never_runs_it_twice_at_once() {
    for home in homes() {
        let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (begun, mut begins) = mpsc::unbounded_channel();
        let (gauge, peak) = (now.clone(), most.clone());
        let flow = Handler::of("flow", move |run: Run| {
            let (gauge, peak, begun) = (gauge.clone(), peak.clone(), begun.clone());
            async move {
                peak.fetch_max(gauge.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                begun.send(()).unwrap();
                let first = run.task().step.is_none();
                if first {
                    run.cancelled().await;
                    tokio::task::yield_now().await;
                }
                gauge.fetch_sub(1, Ordering::SeqCst);
                run.output(if first { "old" } else { "new" });
            }
        });
        let engine =
            home.builder().register(flow).configure(|config| config.slots = 1).start().await.unwrap();
        let id = engine.add(New::json("flow", &0)).await.unwrap().id;
        begins.recv().await.unwrap();
        let seen = get(&engine, id).await;
        let taken = eject(&engine, &seen).await.unwrap();
        assert_eq!((taken.worker, taken.grant), (seen.worker, seen.grant.next()));
        let task = until(&engine, id, Status::Done).await;
        assert_eq!((task.output.as_deref(), most.load(Ordering::SeqCst)), (Some("new"), 1));
        assert_eq!(engine.drain().await.unwrap().left_behind, 0);
    }
}

// L-32 and the rest of what cannot be.
#[tokio::test]
async fn what_cannot_be_taken_over_is_refused_and_stays_as_it_is() {
    let home = memory();
    let (begun, mut runs) = mpsc::unbounded_channel();
    let engine = home.builder().register(waits("old", &begun)).start().await.unwrap();
    let other = Handler::of("other", |_: Run| async {});
    let stranger = home.builder().register(other).start().await.unwrap();
    let id = engine.add(New::json("flow", &0)).await.unwrap().id;
    runs.recv().await.unwrap();
    let task = get(&engine, id).await;
    let unknown = eject(&stranger, &task).await.unwrap_err();
    assert_eq!(unknown.to_string(), "no handler for `flow` in this engine (known: other)");
    let adder = home.builder().start().await.unwrap();
    assert_eq!(eject(&adder, &task).await.unwrap_err().code(), "no-handler");
    let drained = home.builder().register(waits("drained", &begun)).start().await.unwrap();
    let _ = drained.drain().await.unwrap();
    assert!(matches!(eject(&drained, &task).await, Err(Error::TakesNone)));
    let stale = engine.eject(id, Guard::Version(task.version.next()), Rewrite::none()).await.unwrap_err();
    assert!(matches!(refusal(stale), Refusal::Stale { .. }));
    let nobody = engine.eject(TaskId::new(1, [2, 3]), Guard::Grant(task.grant), Rewrite::none()).await;
    assert!(matches!(refusal(nobody.unwrap_err()), Refusal::NoTask(_)));
    let wrong = engine.eject(id, Guard::Grant(task.grant), Rewrite::step("")).await.unwrap_err();
    assert!(matches!(refusal(wrong), Refusal::Empty { .. }));
    assert_eq!(get(&engine, id).await, task);
    let later = engine.add(New::json("flow", &0).after(Duration::from_secs(60))).await.unwrap().id;
    let waiting = get(&engine, later).await;
    let refused = engine.eject(later, Guard::Version(waiting.version), Rewrite::none()).await.unwrap_err();
    assert!(matches!(refusal(refused), Refusal::Status { status: Status::Waiting, .. }));
    eject(&engine, &task).await.unwrap();
    let done = until(&engine, id, Status::Done).await;
    assert!(matches!(refusal(eject(&engine, &done).await.unwrap_err()), Refusal::Stale { .. }));
    assert_eq!(get(&engine, id).await, done);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_parked_task_is_taken_over_and_its_token_is_worth_nothing() {
    for home in homes() {
        let (asked, mut tokens) = mpsc::unbounded_channel::<Fence>();
        let flow = Handler::of("flow", move |run: Run| {
            let asked = asked.clone();
            async move {
                if run.task().step.is_some() {
                    return Outcome::Done;
                }
                asked.send(run.token()).unwrap();
                Outcome::later(Duration::from_secs(60))
            }
        });
        let engine = home.builder().register(flow).start().await.unwrap();
        let id = engine.add(New::json("flow", &0)).await.unwrap().id;
        let token = tokens.recv().await.unwrap();
        eject(&engine, &until(&engine, id, Status::Parked).await).await.unwrap();
        until(&engine, id, Status::Done).await;
        assert!(matches!(engine.finish(token, Outcome::fail("late")).await, Err(Error::Lost)));
    }
}

// L-28: a limit holds back what is grabbed, not what is taken over.
#[tokio::test]
async fn a_full_engine_takes_over_at_once_and_then_waits_until_it_fits() {
    let home = memory();
    let (begun, mut runs) = mpsc::unbounded_channel();
    let old = home.builder().register(waits("old", &begun)).start().await.unwrap();
    let id = old.add(New::json("flow", &0)).await.unwrap().id;
    runs.recv().await.unwrap();
    let (gate, started) = (Arc::new(Notify::new()), Arc::new(AtomicUsize::new(0)));
    let (wait, count) = (gate.clone(), started.clone());
    let (told, mut heard) = mpsc::unbounded_channel();
    let flow = move |run: Run| {
        let (wait, count, told) = (wait.clone(), count.clone(), told.clone());
        async move {
            count.fetch_add(1, Ordering::SeqCst);
            told.send(run.task().id).unwrap();
            wait.notified().await;
        }
    };
    let full = home.builder().register(Handler::of("flow", flow.clone()).limit(1));
    let full =
        full.register(Handler::of("busy", flow)).configure(|config| config.slots = 2).start().await.unwrap();
    let busy = [
        full.add(New::kind("busy", "")).await.unwrap().id,
        full.add(New::kind("busy", "")).await.unwrap().id,
    ];
    assert_eq!([heard.recv().await.unwrap(), heard.recv().await.unwrap()], busy);
    eject(&full, &get(&old, id).await).await.unwrap();
    assert_eq!(heard.recv().await, Some(id));
    let waiting = full.add(New::kind("busy", "")).await.unwrap().id;
    // Three run where two may: one that ends leaves no room yet.
    gate.notify_one();
    until(&full, busy[0], Status::Done).await;
    assert_eq!((get(&full, waiting).await.status, started.load(Ordering::SeqCst)), (Status::Ready, 3));
    gate.notify_one();
    assert_eq!(heard.recv().await, Some(waiting));
    gate.notify_waiters();
    gate.notify_one();
    until(&full, waiting, Status::Done).await;
    until(&full, id, Status::Done).await;
    assert_eq!(full.drain().await.unwrap().left_behind, 0);
}

/// Runs that are taken over, by another engine or by their own; half of them may end by themselves before.
async fn storm(home: &Home, n: usize, own: bool) {
    let (begun, mut begins) = mpsc::unbounded_channel();
    let continued = Arc::new(AtomicUsize::new(0));
    let flow = || {
        let (begun, continued) = (begun.clone(), continued.clone());
        Handler::of("flow", move |run: Run| {
            let (begun, continued) = (begun.clone(), continued.clone());
            async move {
                if run.task().step.as_deref() == Some("taken") {
                    continued.fetch_add(1, Ordering::SeqCst);
                    run.output("taken");
                    return;
                }
                run.output("by itself");
                begun.send(run.task().clone()).unwrap();
                let n: u64 = run.payload().unwrap();
                // Each second one ends by itself, mostly about when it is taken over.
                let patience = Duration::from_millis(if n.is_multiple_of(2) { 60_000 } else { n % 16 });
                let _ = tokio::time::timeout(patience, run.cancelled()).await;
            }
        })
    };
    let old = home.builder().register(flow()).start().await.unwrap();
    let new = if own { old.clone() } else { home.builder().register(flow()).start().await.unwrap() };
    let ids: Vec<_> = old.add_many((0..n).map(|n| New::json("flow", &n))).await.unwrap();
    let mut taken = tokio::task::JoinSet::new();
    for _ in 0..n {
        let (task, new) = (begins.recv().await.unwrap(), new.clone());
        taken.spawn(async move { (task.id, eject(&new, &task).await) });
    }
    let (mut accepted, mut refused) = (0, 0);
    while let Some(joined) = taken.join_next().await {
        let (id, answer) = joined.unwrap();
        let task = until(&new, id, Status::Done).await;
        match answer {
            Ok(_) => {
                accepted += 1;
                assert_eq!((task.output.as_deref(), task.grant.get()), (Some("taken"), 2));
            }
            Err(error) => {
                refused += 1;
                assert!(matches!(refusal(error), Refusal::Stale { .. }));
                assert_eq!((task.output.as_deref(), task.grant.get()), (Some("by itself"), 1));
            }
        }
    }
    assert_eq!((accepted + refused, continued.load(Ordering::SeqCst)), (ids.len(), accepted));
    assert!(accepted >= n / 2, "only {accepted} of {n} were taken over");
    for engine in [old, new] {
        assert_eq!(engine.drain().await.unwrap().left_behind, 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_ejections_have_one_continuation_each() {
    for home in homes() {
        storm(&home, 2000, false).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_ejections_of_own_runs_have_one_continuation_each() {
    for home in homes() {
        storm(&home, 2000, true).await;
    }
}
