//! What users of the systems before this one rely on, by the names of their scenarios.
// A test that cannot go on says so by a panic.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{at_once, homes, until};
use std::time::{Duration, SystemTime};
use steadfast::{
    BoxError, Deed, Engine, Error, Guard, Handler, New, Outcome, Policy, Priority, Refusal, Retry, Run,
    Status, StoreError, Task, Time, When,
};
use tokio::sync::mpsc;

const HOUR: Duration = Duration::from_secs(3600);

async fn act(engine: &Engine, task: &Task, deed: Deed) -> Result<steadfast::Acted, Refusal> {
    match engine.act(task.id, Guard::Version(task.version), deed).await {
        Ok(acted) => Ok(acted),
        Err(Error::Store(StoreError::Refused(refusal))) => Err(refusal),
        Err(other) => panic!("{other:?}"),
    }
}

async fn add(engine: &Engine, new: New) -> Task {
    let id = engine.add(new).await.unwrap().id;
    engine.get(id).await.unwrap().unwrap()
}

fn an_hour_ago() -> When {
    When::At(Time::from_system("time", SystemTime::now() - HOUR).unwrap())
}

// RS-01, RS-02: a waiting task is brought forward by whoever saw its version, and by nobody else.
#[tokio::test(flavor = "multi_thread")]
async fn a_waiting_task_is_rescheduled_by_its_version() {
    for home in homes() {
        let engine = home.builder().register(Handler::of("mail", |_: Run| async {})).start().await.unwrap();
        let task = add(&engine, New::kind("mail", "").after(HOUR)).await;
        let acted = act(&engine, &task, Deed::Prioritise(Priority::new(1).unwrap())).await.unwrap();
        let stale = act(&engine, &task, Deed::Reschedule(an_hour_ago())).await.unwrap_err();
        assert!(matches!(stale, Refusal::Stale { .. }), "{stale}");
        let seen = engine.get(task.id).await.unwrap().unwrap();
        assert_eq!((seen.version, seen.status, seen.priority.get()), (acted.version, Status::Waiting, 1));
        assert_eq!(act(&engine, &seen, Deed::Reschedule(an_hour_ago())).await.unwrap().status, Status::Ready);
        until(&engine, task.id, Status::Done).await;
    }
}

// RS-03: what runs, is parked, needs a person or has ended keeps its time.
#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_does_not_wait_for_its_time_is_not_rescheduled() {
    for home in homes() {
        let (begun, mut begins) = mpsc::unbounded_channel();
        let flow = Handler::of("flow", move |run: Run| {
            let begun = begun.clone();
            async move {
                match run.bytes() {
                    b"running" => {
                        begun.send(()).unwrap();
                        run.cancelled().await;
                        Outcome::Done
                    }
                    b"parked" => Outcome::later(HOUR),
                    b"error" => Outcome::fail("no"),
                    _ => Outcome::Done,
                }
            }
        });
        let engine = home.builder().register(flow).start().await.unwrap();
        for status in [Status::Running, Status::Parked, Status::Error, Status::Done] {
            let id = engine.add(New::kind("flow", status.to_string())).await.unwrap().id;
            if status == Status::Running {
                begins.recv().await.unwrap();
            }
            let task = until(&engine, id, status).await;
            let refused = act(&engine, &task, Deed::Reschedule(an_hour_ago())).await.unwrap_err();
            assert!(matches!(refused, Refusal::Status { .. }), "{status}: {refused}");
            assert_eq!(engine.get(id).await.unwrap().unwrap(), task);
        }
        // A pause and its release go by the version too, also in mid-run by the grant.
        let task = add(&engine, New::kind("flow", "").after(HOUR)).await;
        act(&engine, &task, Deed::Pause).await.unwrap();
        let paused = engine.get(task.id).await.unwrap().unwrap();
        assert_eq!(act(&engine, &paused, Deed::Release).await.unwrap().status, Status::Waiting);
    }
}

// M-13: the list of delays, one after the other; at its end a person has to look.
#[tokio::test(flavor = "multi_thread")]
async fn each_failure_has_its_delay_of_the_list() {
    for home in homes() {
        let mut policy = Policy::default();
        policy.retry = Retry::list([10, 20, 30].map(Duration::from_secs));
        let fails = Handler::of("fails", |_: Run| async { Err::<(), _>("no answer") }).policy(policy);
        let engine = home.builder().register(fails).start().await.unwrap();
        let id = engine.add(New::kind("fails", "")).await.unwrap().id;
        for seconds in [10, 20, 30] {
            let task = until(&engine, id, Status::Waiting).await;
            assert_eq!(task.due_at.since(task.changed_at), Duration::from_secs(seconds));
            act(&engine, &task, Deed::Reschedule(When::Now)).await.unwrap();
        }
        assert_eq!(until(&engine, id, Status::Error).await.failures, 4);
    }
}

// L-16, L-25: the call is lost, and the slow way ends the flow.
#[tokio::test(flavor = "multi_thread")]
async fn a_lost_callback_costs_only_time() {
    for home in homes() {
        let flow = Handler::of("flow", |run: Run| async move {
            match (run.task().step.as_deref(), run.task().failures) {
                (None, _) => Outcome::step("await"),
                (Some(_), 0) => Outcome::later(Duration::from_millis(30)),
                (Some(_), _) => Outcome::Done,
            }
        });
        let builder = home.builder().register(flow.policy(at_once(3))).configure(|config| {
            config.lease = Duration::from_millis(600);
            config.sweep = Duration::from_millis(20);
        });
        let engine = builder.start().await.unwrap();
        let id = engine.add(New::kind("flow", "")).await.unwrap().id;
        let task = until(&engine, id, Status::Done).await;
        assert_eq!((task.step.as_deref(), task.errors.last()), (Some("await"), Some("not finished in time")));
    }
}

// L-07, L-18: another instance goes on in the last stored step with the last stored data.
#[tokio::test(flavor = "multi_thread")]
async fn another_engine_goes_on_at_the_last_step() {
    for home in homes() {
        let (begun, mut begins) = mpsc::unbounded_channel();
        let flow = |first: bool| {
            let begun = begun.clone();
            Handler::of("flow", move |run: Run| {
                let begun = begun.clone();
                async move {
                    let n: u32 = run.payload()?;
                    match run.task().step.as_deref() {
                        None => Ok::<_, BoxError>(Outcome::step("two").with(&(n + 1))),
                        Some("two") => Ok(Outcome::step("three").with(&(n + 1))),
                        Some("three") if first => {
                            run.save(&(n + 1)).await?;
                            begun.send(())?;
                            std::future::pending().await
                        }
                        Some(step) => {
                            run.output(format!("{step} {n}"));
                            Ok(Outcome::Done)
                        }
                    }
                }
            })
        };
        let first = home.builder().register(flow(true)).start().await.unwrap();
        let id = first.add(New::json("flow", &0)).await.unwrap().id;
        begins.recv().await.unwrap();
        drop(first);
        let second = home.builder().register(flow(false)).start().await.unwrap();
        assert_eq!(until(&second, id, Status::Done).await.output.as_deref(), Some("three 3"));
    }
}
