//! What handlers say, and where their tasks go: chains, retries that end elsewhere, steps, saves.
// A test that cannot go on says so by a panic.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{at_once, homes, memory, until};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use steadfast::{BoxError, Handler, Kind, New, Outcome, Payload, Run, Status, Then};
use tokio::sync::{Notify, mpsc};

/// A handler that leaves its payload as output.
fn leaves(kind: &str) -> Handler {
    Handler::of(kind, |run: Run| async move { run.output(String::from_utf8_lossy(run.bytes())) })
}

// M-14, M-15: chained as another kind, at once or when the retries are used up.
#[tokio::test(flavor = "multi_thread")]
async fn a_task_goes_on_as_another_kind_when_its_retries_are_used_up() {
    for home in homes() {
        let call = Handler::of("call", |run: Run| async move {
            Outcome::retry(format!("no answer {}", run.task().attempt))
                .or_else(Outcome::kind("write").with(&"dear bank"))
        });
        let engine = home.builder().register(call.policy(at_once(2))).register(leaves("write"));
        let engine = engine.start().await.unwrap();
        let id = engine.add(New::kind("call", "bank").step("dial")).await.unwrap().id;
        let task = until(&engine, id, Status::Done).await;
        assert_eq!((task.kind.as_str(), task.step, task.failures), ("write", None, 0));
        assert_eq!(task.output.as_deref(), Some("\"dear bank\""));
        let texts: Vec<_> = task.errors.all().iter().map(|failure| failure.text.as_str()).collect();
        assert_eq!(texts, ["no answer 1", "no answer 2", "no answer 3"]);
    }
}

#[tokio::test]
async fn a_policy_says_what_follows_for_every_failure_of_the_kind() {
    let mut policy = at_once(1);
    policy.then = Some(Then::Kind(Kind::new("sorry").unwrap()));
    let panics = Handler::of("panics", |run: Run| async move { assert!(run.bytes().is_empty(), "at once") })
        .policy(policy);
    let engine = memory().builder().register(panics).register(leaves("sorry")).start().await.unwrap();
    let id = engine.add(New::kind("panics", "kept")).await.unwrap().id;
    let task = until(&engine, id, Status::Done).await;
    assert_eq!((task.kind.as_str(), task.output.as_deref()), ("sorry", Some("kept")));
    assert_eq!(task.errors.all().len(), 2);
}

// RT-01.
#[tokio::test]
async fn a_handler_that_always_fails_is_called_as_often_as_the_policy_says() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    let fails = Handler::of("fails", move |_: Run| {
        counted.fetch_add(1, Ordering::SeqCst);
        async { Err::<(), _>("always") }
    });
    let engine = memory().builder().register(fails.policy(at_once(4))).start().await.unwrap();
    let id = engine.add(New::kind("fails", "")).await.unwrap().id;
    let task = until(&engine, id, Status::Error).await;
    assert_eq!((calls.load(Ordering::SeqCst), task.attempt, task.failures), (5, 5, 5));
}

// RT-03a, RT-03b: progress forgets failures, a failure does not.
#[tokio::test]
async fn failures_are_forgotten_at_a_next_step_only() {
    let (seen, mut told) = mpsc::unbounded_channel();
    let flow = Handler::of("flow", move |run: Run| {
        let seen = seen.clone();
        async move {
            let (step, failures) = (run.task().step.clone().unwrap_or_default(), run.task().failures);
            seen.send((step.clone(), failures)).unwrap();
            run.save(&failures).await?;
            match (step.as_str(), failures) {
                ("second", 1) => Ok(Outcome::Done),
                ("", 1) => Ok(Outcome::step("second")),
                _ => Err(BoxError::from("once more")),
            }
        }
    });
    let engine = memory().builder().register(flow.policy(at_once(5))).start().await.unwrap();
    let id = engine.add(New::kind("flow", "")).await.unwrap().id;
    until(&engine, id, Status::Done).await;
    for expected in [("", 0), ("", 1), ("second", 0), ("second", 1)] {
        let (step, failures) = told.recv().await.unwrap();
        assert_eq!((step.as_str(), failures), expected);
    }
}

// M-27: a payload with quotes and backslashes over many steps.
#[tokio::test(flavor = "multi_thread")]
async fn a_payload_stays_as_it_is_over_steps_and_chains() {
    const TEXT: &str = "a \"quoted\" \\path\\ {\"json\": [1]} ä 🦀";
    for home in homes() {
        let flow = Handler::of("flow", |run: Run| async move {
            let text: String = run.payload()?;
            Ok::<_, BoxError>(match run.task().step.as_deref() {
                None => Outcome::step("two").with(&text),
                Some("two") => Outcome::step("three").with(&text).after(Duration::from_millis(1)),
                Some(_) => Outcome::kind("end"),
            })
        });
        let engine = home.builder().register(flow).register(leaves("end")).start().await.unwrap();
        let id = engine.add(New::json("flow", &TEXT)).await.unwrap().id;
        let task = until(&engine, id, Status::Done).await;
        assert_eq!(task.payload, Some(Payload::json("flow", &TEXT).unwrap()));
    }
}

// L-13: transitions under one grant; so many that others get a turn in between.
#[tokio::test(flavor = "multi_thread")]
async fn many_steps_take_turns_and_none_is_lost_or_repeated() {
    for (home, steps, grants) in homes().into_iter().flat_map(|home| {
        let home = Arc::new(home);
        [(home.clone(), 100_u64, 1), (home.clone(), 101, 2), (home, 1000, 10)]
    }) {
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = calls.clone();
        let count = Handler::of("count", move |run: Run| {
            counted.fetch_add(1, Ordering::SeqCst);
            async move {
                let n: u64 = run.payload()?;
                let end = run.task().search1.as_deref().unwrap_or_default().parse::<u64>()?;
                run.output(n.to_string());
                Ok::<_, BoxError>(if n == end {
                    Outcome::Done
                } else {
                    Outcome::step(n.to_string()).with(&(n + 1))
                })
            }
        });
        let engine = home.builder().register(count).start().await.unwrap();
        let new = New::json("count", &1).search1(steps.to_string());
        let id = engine.add(new).await.unwrap().id;
        let task = until(&engine, id, Status::Done).await;
        assert_eq!(calls.load(Ordering::SeqCst), usize::try_from(steps).unwrap());
        assert_eq!((task.step, task.grant.get()), (Some((steps - 1).to_string()), grants));
        let _ = engine.drain().await.unwrap();
    }
}

#[tokio::test]
async fn a_task_of_many_steps_lets_others_go_first() {
    let order = Arc::new(std::sync::Mutex::new(Vec::new()));
    let (seen, begun, go) = (order.clone(), Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (told, wait) = (begun.clone(), go.clone());
    let flow = Handler::of("flow", move |run: Run| {
        let (seen, told, wait) = (seen.clone(), told.clone(), wait.clone());
        async move {
            if run.bytes() == b"short" {
                seen.lock().unwrap().push("short");
                return Outcome::Done;
            }
            let steps: u32 = run.task().step.as_deref().map_or(0, |step| step.parse().unwrap());
            if steps == 0 {
                told.notify_one();
                wait.notified().await;
            }
            if steps == 9 {
                seen.lock().unwrap().push("long");
                return Outcome::Done;
            }
            Outcome::step((steps + 1).to_string())
        }
    });
    let builder = memory().builder().register(flow).configure(|config| {
        config.slots = 1;
        config.steps_max = 4;
    });
    let engine = builder.start().await.unwrap();
    let long = engine.add(New::kind("flow", "long")).await.unwrap().id;
    begun.notified().await;
    let short = engine.add(New::kind("flow", "short")).await.unwrap().id;
    go.notify_one();
    until(&engine, long, Status::Done).await;
    until(&engine, short, Status::Done).await;
    assert_eq!(*order.lock().unwrap(), ["short", "long"]);
    let none = memory().builder().configure(|config| config.steps_max = 0).start().await.unwrap_err();
    assert_eq!(none.to_string(), "steps_max is 0; give a task at least one step at a time");
}

// L-06, L-08, L-18: what is saved in the middle is what the next run, or the next step, begins with.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_run_saves_is_what_the_next_one_gets() {
    for home in homes() {
        let flow = Handler::of("flow", |run: Run| async move {
            let n: u32 = run.payload()?;
            match (run.task().step.as_deref(), n) {
                (None, 0) => {
                    run.save(&1).await?;
                    Err(BoxError::from("after the save"))
                }
                (None, 1) => {
                    run.save_step("half", &2).await?;
                    Err(BoxError::from("after the step"))
                }
                (Some("half"), 2) => {
                    run.save(&3).await?;
                    // The payload that was saved goes along.
                    Ok(Outcome::step("last"))
                }
                (Some("last"), 3) => Ok(Outcome::Done),
                other => Ok(Outcome::fail(format!("{other:?}"))),
            }
        });
        let engine = home.builder().register(flow.policy(at_once(2))).start().await.unwrap();
        let id = engine.add(New::json("flow", &0)).await.unwrap().id;
        let task = until(&engine, id, Status::Done).await;
        assert_eq!((task.step.as_deref(), task.attempt), (Some("last"), 3));
        assert_eq!(task.errors.all().len(), 2);
    }
}

#[tokio::test]
async fn a_save_that_cannot_be_kept_is_refused_and_the_run_goes_on() {
    let flow = Handler::of("flow", |run: Run| async move {
        let long = run.save(&"x".repeat(100)).await.unwrap_err();
        let step = run.save_step("", &1).await.unwrap_err();
        run.output(format!("{} {}", long.code(), step.code()));
    });
    let builder = memory().builder().register(flow).configure(|config| config.payload_bytes_max = 50);
    let engine = builder.start().await.unwrap();
    let id = engine.add(New::kind("flow", "")).await.unwrap().id;
    let task = until(&engine, id, Status::Done).await;
    assert_eq!(task.output.as_deref(), Some("payload-too-large empty-text"));
}

// L-11: a save after the task was taken away is refused, and the run hears of it.
#[tokio::test]
async fn a_run_whose_task_was_cancelled_saves_nothing() {
    let (begun, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (told, wait) = (begun.clone(), go.clone());
    let (said, mut heard) = mpsc::unbounded_channel();
    let flow = Handler::of("flow", move |run: Run| {
        let (told, wait, said) = (told.clone(), wait.clone(), said.clone());
        async move {
            told.notify_one();
            wait.notified().await;
            said.send((run.save(&"late").await.unwrap_err().code(), run.is_cancelled())).unwrap();
        }
    });
    let engine = memory().builder().register(flow).start().await.unwrap();
    let id = engine.add(New::kind("flow", "")).await.unwrap().id;
    begun.notified().await;
    let task = engine.get(id).await.unwrap().unwrap();
    engine.act(id, steadfast::Guard::Grant(task.grant), steadfast::Deed::Cancel).await.unwrap();
    go.notify_one();
    assert_eq!(heard.recv().await, Some(("grant-lost", true)));
    let task = engine.get(id).await.unwrap().unwrap();
    assert_eq!((task.status, task.payload_len), (Status::Cancelled, 0));
}
