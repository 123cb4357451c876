//! Buckets: slots of their own, stopped and started in one worker.

use super::common::{builder, quick, store, until};
use std::sync::Arc;
use steadfast::{Bucket, Engine, Handler, Level, New, Run, Status};
use tokio::sync::{Semaphore, mpsc};

fn bucket(name: &str) -> Bucket {
    Bucket::new(name).unwrap()
}

fn in_bucket(kind: &str, name: &str) -> Handler {
    Handler::of(kind, |_: Run| async {}).policy(quick(|policy| policy.bucket = bucket(name)))
}

#[tokio::test]
async fn a_bucket_has_slots_of_its_own() {
    let (told, mut starts) = mpsc::unbounded_channel();
    let gate = Arc::new(Semaphore::new(0));
    let handler = |kind: &str, name: &str| {
        let (told, gate) = (told.clone(), gate.clone());
        let work = move |run: Run| {
            let (told, gate) = (told.clone(), gate.clone());
            async move {
                told.send(run.task().kind.to_string()).unwrap();
                gate.acquire().await.unwrap().forget();
            }
        };
        Handler::of(kind, work).policy(quick(|policy| policy.bucket = bucket(name)))
    };
    let engine = builder(&store())
        .configure(|config| config.slots = 2)
        .bucket("wide", 5)
        .register(handler("wide", "wide"))
        .register(handler("other", "other"))
        .start()
        .await
        .unwrap();
    for kind in ["wide", "other"] {
        engine.add_many((0..20).map(|_| New::kind(kind, ""))).await.unwrap();
    }
    let mut seen = Vec::new();
    for _ in 0..7 {
        seen.push(starts.recv().await.unwrap());
    }
    assert_eq!(seen.iter().filter(|kind| *kind == "wide").count(), 5);
    assert!(starts.try_recv().is_err());
    gate.add_permits(40);
}

async fn ready(engine: &Engine, kind: &str) -> steadfast::TaskId {
    engine.add(New::kind(kind, "")).await.unwrap().id
}

#[tokio::test]
async fn a_bucket_that_is_stopped_here_is_served_elsewhere_and_check_tells_of_it() {
    let store = store();
    let one = |name: &'static str| {
        let builder = builder(&store).configure(move |config| config.name = name.into());
        builder.register(in_bucket("mail", "mail")).register(in_bucket("pay", "pay"))
    };
    let engine = one("first").start().await.unwrap();
    engine.stop_bucket(bucket("mail"));
    let mail = ready(&engine, "mail").await;
    let pay = ready(&engine, "pay").await;
    until(&engine, pay, Status::Done).await;
    assert_eq!(engine.get(mail).await.unwrap().unwrap().status, Status::Ready);
    let findings = engine.check().await.unwrap();
    let told = findings.iter().find(|finding| finding.about == "buckets").unwrap();
    assert_eq!((told.level, told.text.as_str()), (Level::Warning, "stopped in this worker: mail"));

    let second = one("second").start().await.unwrap();
    until(&engine, mail, Status::Done).await;
    let _ = second.drain().await.unwrap();
    let mail = ready(&engine, "mail").await;
    engine.start_bucket(&bucket("mail"));
    until(&engine, mail, Status::Done).await;
    assert!(engine.stopped_buckets().is_empty());
}

#[tokio::test]
async fn wrong_buckets_fail_at_the_start() {
    for (build, expected) in [
        (builder(&store()).bucket("mail", 0), "bucket `mail` has 0 slots; give it at least one"),
        (
            builder(&store()).bucket("mail", 1).bucket("mail", 2),
            "bucket `mail` is given slots twice; keep one",
        ),
        (builder(&store()).bucket("", 1), "bucket is empty; give it at least one character"),
    ] {
        assert_eq!(build.start().await.unwrap_err().to_string(), expected);
    }
}
