//! Payloads that are packed on their way into the store and opened on their way out.
// A test that cannot go on says so by a panic.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod setting;

use setting::{builder, end, error_of, quick, slip_in, store};
use std::io::Read;
use std::time::Duration;
use steadfast::core::{Format, Store};
use steadfast::{
    Compress, Compression, Deed, Error, Guard, Handler, Kind, New, Outcome, Payload, Policy, Run, Status,
    Task, TaskId, When,
};
use steadfast_memory::MemoryStore;

const ALL: [Compression; 3] = [Compression::Gzip, Compression::Lz4, Compression::Zstd];

fn long() -> Vec<u8> {
    b"all work and no play ".repeat(1000)
}

fn packing(algorithm: Compression) -> Policy {
    quick(|policy| policy.compression = Compress::with(algorithm))
}

/// A handler that leaves the payload that it got behind as its output.
fn echo(kind: &str) -> Handler {
    Handler::of(kind, |run: Run| async move { run.output(String::from_utf8_lossy(run.bytes())) })
}

async fn stored(store: &MemoryStore, id: TaskId) -> Payload {
    store.get(id).await.unwrap().unwrap().payload.unwrap()
}

fn check_round_trip(task: &Task, bytes: &[u8]) {
    assert_eq!(task.status, Status::Done);
    assert_eq!(task.output.as_deref().map(str::as_bytes), Some(bytes));
    let payload = task.payload.as_ref().unwrap();
    assert_eq!((&*payload.bytes, payload.format.compression), (bytes, Compression::None));
}

// TD-01.
#[tokio::test]
async fn a_payload_is_packed_in_the_store_and_nowhere_else() {
    for algorithm in ALL {
        let store = store();
        let engine = builder(&store).register(echo("mail").policy(packing(algorithm))).start().await.unwrap();
        let one = engine.add(New::kind("mail", long())).await.unwrap().id;
        let many = engine.add_many([New::kind("mail", long())]).await.unwrap()[0].id;
        for id in [one, many] {
            check_round_trip(&end(&engine, id).await, &long());
            let payload = stored(&store, id).await;
            assert_eq!(payload.format.compression, algorithm);
            assert!(payload.len() < 2000, "{algorithm}: {}", payload.len());
        }
        let prepared = engine.prepare(New::json("mail", &long())).await.unwrap().payload;
        assert_eq!(prepared.format, Format { json: true, compression: algorithm, version: 0 });
    }
}

// TD-01.
#[tokio::test]
async fn only_what_is_large_enough_and_gets_smaller_is_packed() {
    let store = store();
    let engine =
        builder(&store).register(echo("mail").policy(packing(Compression::Zstd))).start().await.unwrap();
    // Random enough that nothing makes it smaller.
    let noise: Vec<u8> =
        (0..2000u64).map(|n| (n * n).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes()[7]).collect();
    for (bytes, expected) in [
        (long()[..1023].to_vec(), Compression::None),
        (long()[..1024].to_vec(), Compression::Zstd),
        (noise, Compression::None),
        (vec![], Compression::None),
    ] {
        let id = engine.add(New::kind("mail", bytes.clone())).await.unwrap().id;
        assert_eq!(stored(&store, id).await.format.compression, expected, "{} bytes", bytes.len());
    }
}

#[tokio::test]
async fn a_task_may_say_otherwise_than_its_kind() {
    let engine = builder(&store()).start().await.unwrap();
    let rule = Compress { algorithm: Compression::Gzip, bytes_min: 0 };
    let task = engine.prepare(New::kind("mail", "a".repeat(100)).compression(rule)).await.unwrap();
    assert_eq!(task.payload.format.compression, Compression::Gzip);
}

#[tokio::test]
async fn who_only_adds_packs_by_the_handlers_rule() {
    let store = store();
    let _worker =
        builder(&store).register(echo("mail").policy(packing(Compression::Lz4))).start().await.unwrap();
    let adder = builder(&store).start().await.unwrap();
    let task = adder.prepare(New::kind("mail", long()).suffix("VIP")).await.unwrap();
    assert_eq!(task.payload.format.compression, Compression::Lz4);
}

#[tokio::test]
async fn what_a_run_goes_on_with_is_packed_by_the_rule_of_its_next_kind() {
    let store = store();
    let minute = When::After(Duration::from_secs(3600));
    let go_on = |outcome: fn(Payload, When) -> Outcome| {
        move |run: Run| async move {
            match run.task().step.as_deref() {
                None => outcome(Payload::bytes(long()), When::After(Duration::from_secs(3600))),
                Some(_) => Outcome::Done,
            }
        }
    };
    let next = go_on(|payload, when| Outcome::Next { step: None, kind: None, payload: Some(payload), when });
    let other = go_on(|payload, when| {
        let kind = Some(Kind::new("other").unwrap());
        Outcome::Next { step: None, kind, payload: Some(payload), when }
    });
    let wait = go_on(|payload, until| Outcome::Wait { until, payload: Some(payload) });
    let engine = builder(&store)
        .register(Handler::of("next", next).policy(packing(Compression::Gzip)))
        .register(Handler::of("change", other))
        .register(echo("other").policy(packing(Compression::Zstd)))
        .register(Handler::of("wait", wait).policy(packing(Compression::Lz4)))
        .register(
            Handler::of("later", move |_: Run| async move { Outcome::Later { until: minute } })
                .policy(packing(Compression::Gzip)),
        )
        .start()
        .await
        .unwrap();
    for (kind, expected) in
        [("next", Compression::Gzip), ("change", Compression::Zstd), ("wait", Compression::Lz4)]
    {
        let id = engine.add(New::kind(kind, "")).await.unwrap().id;
        let task = until(&store, id, Status::Waiting).await;
        assert_eq!(task.payload.unwrap().format.compression, expected, "{kind}");
        assert_eq!(&*engine.get(id).await.unwrap().unwrap().payload.unwrap().bytes, long(), "{kind}");
    }
    let id = engine.add(New::kind("later", "")).await.unwrap().id;
    let parked = until(&store, id, Status::Parked).await;
    let wait = Outcome::Wait { until: minute, payload: Some(Payload::bytes(long())) };
    engine.finish(parked.fence().unwrap(), wait).await.unwrap();
    assert_eq!(stored(&store, id).await.format.compression, Compression::Gzip);
}

async fn until(store: &MemoryStore, id: TaskId, status: Status) -> Task {
    let looking = async {
        loop {
            match store.get(id).await.unwrap() {
                Some(task) if task.status == status => return task,
                _ => tokio::task::yield_now().await,
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(20), looking).await.expect("the task should get there")
}

#[tokio::test]
async fn the_next_step_of_a_run_gets_its_payload_opened() {
    let store = store();
    let handler = Handler::of("mail", |run: Run| async move {
        if run.task().step.is_some() {
            run.output(String::from_utf8_lossy(run.bytes()));
            return Outcome::Done;
        }
        let payload = Some(Payload::bytes(long()));
        Outcome::Next { step: Some("second".into()), kind: None, payload, when: When::Now }
    });
    let engine = builder(&store).register(handler.policy(packing(Compression::Zstd))).start().await.unwrap();
    let id = engine.add(New::kind("mail", "")).await.unwrap().id;
    check_round_trip(&end(&engine, id).await, &long());
    assert_eq!(stored(&store, id).await.format.compression, Compression::Zstd);
}

#[tokio::test]
async fn what_an_operator_writes_is_packed_too() {
    let store = store();
    let engine =
        builder(&store).register(echo("mail").policy(packing(Compression::Zstd))).start().await.unwrap();
    let id = engine.add(New::kind("mail", "").after(Duration::from_secs(3600))).await.unwrap().id;
    let task = engine.get(id).await.unwrap().unwrap();
    let deed = Deed::Rewrite { step: None, payload: Some(Payload::bytes(long())) };
    engine.act(id, Guard::Version(task.version), deed).await.unwrap();
    assert_eq!(stored(&store, id).await.format.compression, Compression::Zstd);
    assert_eq!(&*engine.get(id).await.unwrap().unwrap().payload.unwrap().bytes, long());
}

#[tokio::test]
async fn the_limit_of_payloads_is_for_what_is_stored() {
    let store = store();
    let engine = builder(&store)
        .configure(|config| config.payload_bytes_max = 2000)
        .register(echo("mail").policy(packing(Compression::Zstd)))
        .start()
        .await
        .unwrap();
    let id = engine.add(New::kind("mail", long())).await.unwrap().id;
    check_round_trip(&end(&engine, id).await, &long());
    let plain = engine.add(New::kind("plain", long())).await.unwrap_err();
    assert_eq!(plain.code(), "payload-too-large");
    let vast = engine.add(New::kind("mail", vec![0; 64 * 1024 * 1024 + 1])).await.unwrap_err();
    assert_eq!(vast.code(), "payload-too-large");
}

fn packed(compression: Compression, bytes: impl Into<Vec<u8>>) -> Payload {
    let bytes: Vec<u8> = bytes.into();
    Payload { bytes: bytes.into(), format: Format { json: true, compression, version: 0 } }
}

#[tokio::test]
async fn a_bomb_ends_in_error_and_is_not_unpacked() {
    let bomb = zstd::encode_all(std::io::repeat(0).take(64 * 1024 * 1024 + 1), 1).unwrap();
    let error = error_of(echo("mail"), packed(Compression::Zstd, bomb)).await;
    let expected =
        "1: payload of kind `mail` unpacks to over 67108864 bytes; store it elsewhere and pass a reference";
    assert_eq!(error, expected);
}

#[tokio::test]
async fn damaged_bytes_end_in_error_with_what_was_expected() {
    for algorithm in ALL {
        let error = error_of(echo("mail"), packed(algorithm, *b"no such thing")).await;
        let expected = format!("1: payload of kind `mail` was packed by {algorithm} and is damaged: ");
        assert!(error.starts_with(&expected), "{error}");
    }
}

#[tokio::test]
async fn an_algorithm_that_the_build_does_not_have_is_tried_again_as_the_policy_says() {
    let handler = echo("mail").policy(quick(|_| {}));
    let error = error_of(handler, packed(Compression::Unknown(5), *b"from the future")).await;
    let expected = "2: payload of kind `mail` is packed by algorithm 5, which this build does not have; \
                    build with the feature `compression`";
    assert_eq!(error, expected);
}

#[tokio::test]
async fn a_payload_that_cannot_be_opened_is_shown_as_it_is() {
    let store = store();
    let payload = packed(Compression::Zstd, *b"damaged");
    let id = slip_in(&store, "nobody", payload.clone()).await;
    let engine = builder(&store).start().await.unwrap();
    assert_eq!(engine.get(id).await.unwrap().unwrap().payload, Some(payload));
}

#[tokio::test]
async fn a_rule_that_nobody_can_follow_is_refused_at_the_start() {
    let handler = echo("mail").policy(packing(Compression::Unknown(5)));
    let refused: Result<_, Error> = builder(&store()).register(handler).start().await;
    let text = refused.unwrap_err().to_string();
    assert_eq!(text, "kind `mail`: compression is algorithm 5; use gzip, lz4 or zstd");
}

#[cfg(feature = "sqlite")]
#[tokio::test]
async fn a_packed_payload_outlives_its_engine() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("tasks.db").display());
    let adder = steadfast::connect(&url).await.unwrap().start().await.unwrap();
    let mut ids = Vec::new();
    for algorithm in ALL {
        let new = New::kind("mail", long()).compression(Compress::with(algorithm)).version(3);
        ids.push(adder.add(new).await.unwrap().id);
    }
    drop(adder);
    let engine = steadfast::connect(&url).await.unwrap().register(echo("mail")).start().await.unwrap();
    for id in ids {
        let task = end(&engine, id).await;
        check_round_trip(&task, &long());
        assert_eq!(task.payload.unwrap().format.version, 3);
    }
}
