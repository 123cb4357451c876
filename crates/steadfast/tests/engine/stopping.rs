//! The end of a run that did not end by itself, and of an engine.

use super::common::{Mail, builder, mail, store, until};
use std::time::Duration;
use steadfast::{Deed, Guard, Handler, New, Run, Status};
use tokio::sync::mpsc;

#[tokio::test]
async fn a_cancelled_run_is_recalled_and_its_outcome_dropped() {
    let (started, mut starts) = mpsc::unbounded_channel();
    let handler = Handler::of("long", move |run: Run| {
        let started = started.clone();
        async move {
            started.send(()).unwrap();
            run.cancelled().await;
        }
    });
    let engine = builder(&store()).register(handler).start().await.unwrap();
    let added = engine.add(New::kind("long", "")).await.unwrap();
    starts.recv().await;
    let task = engine.get(added.id).await.unwrap().unwrap();
    engine.act(task.id, Guard::Grant(task.grant), Deed::Cancel).await.unwrap();
    let task = until(&engine, added.id, Status::Cancelled).await;
    assert_eq!(task.worker, None);
    let stale = engine.act(task.id, Guard::Grant(task.grant), Deed::Cancel).await.unwrap_err();
    assert!(stale.to_string().contains("changed meanwhile"), "{stale}");
    // The slot is free again: drain has nothing to wait for.
    assert_eq!(engine.drain().await.unwrap().left_behind, 0);
}

// M-23.
#[tokio::test]
async fn a_drain_gives_back_what_does_not_end_and_counts_no_attempt() {
    let (started, mut starts) = mpsc::unbounded_channel();
    let handler = Handler::of("endless", move |_: Run| {
        let started = started.clone();
        async move {
            started.send(()).unwrap();
            std::future::pending::<()>().await;
        }
    });
    let store = store();
    let engine = builder(&store)
        .configure(|config| config.grace = Duration::from_millis(20))
        .register(handler)
        .start()
        .await
        .unwrap();
    let added = engine.add(New::kind("endless", "")).await.unwrap();
    starts.recv().await;
    let drained = engine.drain().await.unwrap();
    assert_eq!((drained.given_back, drained.left_behind), (1, 0));
    let task = engine.get(added.id).await.unwrap().unwrap();
    assert_eq!((task.status, task.attempt, task.worker), (Status::Ready, 0, None));
    assert!(engine.workers().await.unwrap().iter().all(|worker| worker.dead));
}

#[tokio::test]
async fn a_drained_engine_runs_nothing_but_still_adds_and_answers() {
    let engine = builder(&store()).handle(|_: Run, _: Mail| async {}).start().await.unwrap();
    let _ = engine.drain().await.unwrap();
    let added = engine.add(mail("later")).await.unwrap();
    assert_eq!(engine.get(added.id).await.unwrap().unwrap().status, Status::Ready);
    assert_eq!(engine.drain().await.unwrap().given_back, 0);
}

#[tokio::test]
async fn a_dropped_engine_gives_its_runs_back_to_another() {
    let (started, mut starts) = mpsc::unbounded_channel();
    let store = store();
    let stuck = Handler::of("work", move |_: Run| {
        let started = started.clone();
        async move {
            started.send(()).unwrap();
            std::future::pending::<()>().await;
        }
    });
    let first = builder(&store).register(stuck).start().await.unwrap();
    let added = first.add(New::kind("work", "")).await.unwrap();
    starts.recv().await;
    drop(first);
    let second = builder(&store).register(Handler::of("work", |_: Run| async {})).start().await.unwrap();
    let task = until(&second, added.id, Status::Done).await;
    assert_eq!((task.attempt, task.lost), (1, 0));
}
