//! What becomes of a run: by its handler's word, by its silence, by its failures.

use super::common::{Mail, builder, mail, quick, store, until};
use std::sync::Arc;
use std::time::Duration;
use steadfast::{Deed, Error, Filter, Guard, Handler, Hang, New, Outcome, Retention, Retry, Run, Status};
use tokio::sync::{Semaphore, mpsc};

#[tokio::test]
async fn a_typed_handler_gets_its_payload_and_the_task_is_done() {
    let (heard, mut told) = mpsc::unbounded_channel();
    let engine = builder(&store())
        .handle(move |run: Run, mail: Mail| {
            let heard = heard.clone();
            async move {
                run.output("sent");
                heard.send((mail.to, run.task().attempt)).unwrap();
            }
        })
        .start()
        .await
        .unwrap();
    let added = engine.add(mail("ada")).await.unwrap();
    assert_eq!(told.recv().await, Some(("ada".to_owned(), 1)));
    let task = until(&engine, added.id, Status::Done).await;
    assert_eq!(task.output.as_deref(), Some("sent"));
    let _ = engine.drain().await.unwrap();
}

#[tokio::test]
async fn a_failing_task_is_tried_again_and_then_needs_a_person() {
    let handler =
        Handler::of(
            "flaky",
            |run: Run| async move { Err::<(), String>(format!("boom {}", run.task().attempt)) },
        );
    let engine = builder(&store()).register(handler.policy(quick(|_| {}))).start().await.unwrap();
    let added = engine.add(New::kind("flaky", "")).await.unwrap();
    let task = until(&engine, added.id, Status::Error).await;
    let texts: Vec<_> = task.errors.all().iter().map(|failure| failure.text.as_str()).collect();
    assert_eq!(texts, ["boom 1", "boom 2", "boom 3"]);
    let acted = engine.act(task.id, Guard::Version(task.version), Deed::Ack).await.unwrap();
    assert_eq!(acted.status, Status::Failed);
}

#[tokio::test]
async fn a_panic_is_a_failure_and_frees_its_slot() {
    let handler = Handler::of("panics", |run: Run| async move {
        assert!(run.task().attempt > 3, "not yet");
    });
    let policy = quick(|policy| policy.retry = Retry::immediate(5));
    let engine = builder(&store())
        .configure(|config| config.slots = 1)
        .register(handler.policy(policy))
        .start()
        .await
        .unwrap();
    for _ in 0..3 {
        let added = engine.add(New::kind("panics", "")).await.unwrap();
        let task = until(&engine, added.id, Status::Done).await;
        assert_eq!(task.attempt, 4);
        assert_eq!(task.errors.last(), Some("panic: not yet"));
    }
}

// L-27.
#[tokio::test]
async fn a_payload_that_does_not_parse_ends_in_error_and_is_kept() {
    let engine = builder(&store()).handle(|_: Run, _: Mail| async {}).start().await.unwrap();
    let added = engine.add(New::kind("mail", "{\"to\":7}")).await.unwrap();
    let task = until(&engine, added.id, Status::Error).await;
    assert!(
        task.errors.last().unwrap().contains("payload is not a engine::common::Mail"),
        "{:?}",
        task.errors
    );
    assert_eq!(task.payload.unwrap().bytes.as_ref(), b"{\"to\":7}");
}

#[tokio::test]
async fn a_run_past_its_deadline_is_taken_away_and_tried_again() {
    let (started, mut starts) = mpsc::unbounded_channel();
    let handler = Handler::of("hangs", move |run: Run| {
        let started = started.clone();
        async move {
            started.send(run.task().attempt).unwrap();
            if run.task().attempt == 1 {
                std::future::pending::<()>().await;
            }
        }
    });
    // Longer than a stopped run may take to tidy up, as the second run waits for the first.
    let policy = quick(|policy| policy.deadline = Duration::from_millis(800));
    let engine = builder(&store())
        .configure(|config| {
            config.lease = Duration::from_millis(600);
            config.sweep = Duration::from_millis(20);
        })
        .register(handler.policy(policy))
        .start()
        .await
        .unwrap();
    let added = engine.add(New::kind("hangs", "")).await.unwrap();
    assert_eq!(starts.recv().await, Some(1));
    assert_eq!(starts.recv().await, Some(2));
    let task = until(&engine, added.id, Status::Done).await;
    assert_eq!(task.errors.last(), Some("deadline passed"));
}

#[tokio::test]
async fn steps_are_saved_under_one_grant() {
    let handler = Handler::of("machine", |run: Run| async move {
        match run.task().step.as_deref() {
            None => Outcome::step("scan"),
            Some("scan") => Outcome::step("check"),
            Some(_) => Outcome::Done,
        }
    });
    let engine = builder(&store()).register(handler).start().await.unwrap();
    let added = engine.add(New::kind("machine", "")).await.unwrap();
    let task = until(&engine, added.id, Status::Done).await;
    assert_eq!((task.step.as_deref(), task.attempt, task.grant.get()), (Some("check"), 1, 1));
}

#[tokio::test]
async fn a_parked_task_is_finished_by_its_token_once() {
    let (sent, mut tokens) = mpsc::unbounded_channel();
    let handler = Handler::of("ask", move |run: Run| {
        let sent = sent.clone();
        async move {
            sent.send(run.token()).unwrap();
            Outcome::Later { until: steadfast::When::After(Duration::from_secs(60)) }
        }
    });
    let engine = builder(&store()).register(handler).start().await.unwrap();
    let added = engine.add(New::kind("ask", "")).await.unwrap();
    let token = tokens.recv().await.unwrap();
    until(&engine, added.id, Status::Parked).await;
    engine.finish(token, Outcome::Done).await.unwrap();
    until(&engine, added.id, Status::Done).await;
    assert!(matches!(engine.finish(token, Outcome::Done).await, Err(Error::Lost)));
}

#[tokio::test]
async fn retention_delete_leaves_nothing() {
    let handler =
        Handler::of("gone", |_: Run| async {}).policy(quick(|policy| policy.retention = Retention::Delete));
    let engine = builder(&store()).register(handler).start().await.unwrap();
    let added = engine.add(New::kind("gone", "")).await.unwrap();
    while engine.get(added.id).await.unwrap().is_some() {
        tokio::task::yield_now().await;
    }
    assert!(engine.count(Filter::default()).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_hung_run_may_go_on_or_end_as_failed() {
    let gate = Arc::new(Semaphore::new(0));
    let waits = |kind: &str| {
        let gate = gate.clone();
        Handler::of(kind, move |_: Run| {
            let gate = gate.clone();
            async move { gate.acquire().await.unwrap().forget() }
        })
    };
    let gives_up = quick(|policy| {
        policy.deadline = Duration::from_millis(1);
        policy.hang = Hang::Failed;
    });
    let engine = builder(&store())
        .configure(|config| {
            config.lease = Duration::from_millis(300);
            config.sweep = Duration::from_millis(20);
        })
        .register(waits("patient").policy(quick(|policy| policy.hang = Hang::Ignore)))
        .register(waits("hopeless").policy(gives_up))
        .start()
        .await
        .unwrap();
    let patient = engine.add(New::kind("patient", "")).await.unwrap().id;
    let hopeless = engine.add(New::kind("hopeless", "")).await.unwrap().id;
    let task = until(&engine, hopeless, Status::Failed).await;
    assert_eq!(task.errors.last(), Some("deadline passed"));
    let task = engine.get(patient).await.unwrap().unwrap();
    assert!(task.deadline_at.unwrap() > task.created_at.after(Duration::from_secs(1_000_000_000)));
    gate.add_permits(2);
    assert_eq!(until(&engine, patient, Status::Done).await.failures, 0);
}
