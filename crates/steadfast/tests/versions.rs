//! Payloads of older and newer versions of a type.
// A test that cannot go on says so by a panic.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod setting;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use setting::{builder, end, error_of, quick, slip_in, store};
use steadfast::core::Store;
use steadfast::{Error, Handler, Kinded, New, Outcome, Payload, Run, Status, When};

#[derive(Serialize, Deserialize)]
struct Mail {
    to: Vec<String>,
    urgent: bool,
}

impl Kinded for Mail {
    const KIND: &'static str = "mail";
    const VERSION: u32 = 3;
}

/// Version 1 had one recipient.
#[derive(Serialize, Deserialize)]
struct One {
    to: String,
}

/// Version 2 had many.
#[derive(Serialize, Deserialize)]
struct Many {
    to: Vec<String>,
}

fn reader() -> Handler {
    Handler::typed(|run: Run, mail: Mail| async move { run.output(format!("{:?} {}", mail.to, mail.urgent)) })
}

fn from_1(handler: Handler) -> Handler {
    handler.upcast(1, |old: One| Many { to: vec![old.to] })
}

fn from_2(handler: Handler) -> Handler {
    handler.upcast(2, |mut old: Value| {
        old["urgent"] = json!(false);
        old
    })
}

fn payload(version: u32, value: &Value) -> Payload {
    Payload::json("mail", value).unwrap().version(version)
}

async fn refusal(handler: Handler) -> String {
    let refused: Result<_, Error> = builder(&store()).register(handler).start().await;
    refused.unwrap_err().to_string()
}

#[tokio::test]
async fn an_older_payload_goes_from_version_to_version_and_stays_as_it_is() {
    for (version, value, expected) in [
        (1, json!({ "to": "ada" }), r#"["ada"] false"#),
        (2, json!({ "to": ["ada", "bob"] }), r#"["ada", "bob"] false"#),
        (3, json!({ "to": [], "urgent": true }), "[] true"),
    ] {
        let store = store();
        let id = slip_in(&store, "mail", payload(version, &value)).await;
        // The order of registration does not matter.
        let engine = builder(&store).register(from_1(from_2(reader()))).start().await.unwrap();
        let task = end(&engine, id).await;
        assert_eq!((task.status, task.output.as_deref()), (Status::Done, Some(expected)));
        assert_eq!(task.payload, Some(payload(version, &value)));
    }
}

#[tokio::test]
async fn a_new_task_has_the_version_of_its_type() {
    let engine = builder(&store()).start().await.unwrap();
    let mail = || Mail { to: vec![], urgent: false };
    let version = async |new: New| engine.prepare(new).await.unwrap().payload.format.version;
    assert_eq!(version(New::of(mail())).await, 3);
    assert_eq!(version(New::json("mail", &mail())).await, 0);
    assert_eq!(version(New::json("mail", &mail()).version(3)).await, 3);
    assert_eq!(mail().to_payload().unwrap().format.version, 3);
}

#[tokio::test]
async fn what_a_run_goes_on_with_has_the_version_that_its_handler_reads() {
    for (given, expected) in [(0, 3), (2, 2), (3, 3)] {
        let store = store();
        let handler = Handler::typed(move |run: Run, mail: Mail| async move {
            run.output(format!("{:?}", mail.to));
            match run.task().step {
                Some(_) => Ok(Outcome::Done),
                None => Payload::json("mail", &mail).map(|payload| Outcome::Next {
                    step: Some("second".into()),
                    kind: None,
                    payload: Some(payload.version(given)),
                    when: When::Now,
                }),
            }
        });
        let id = slip_in(&store, "mail", payload(2, &json!({ "to": ["ada"] }))).await;
        let engine = builder(&store).register(from_2(handler)).start().await.unwrap();
        let task = end(&engine, id).await;
        assert_eq!((task.status, task.output.as_deref()), (Status::Done, Some(r#"["ada"]"#)));
        let stored = store.get(id).await.unwrap().unwrap().payload;
        assert_eq!(stored, Some(payload(expected, &json!({ "to": ["ada"], "urgent": false }))), "{given}");
    }
}

#[tokio::test]
async fn a_payload_without_a_way_ends_in_error_and_is_kept() {
    let error = error_of(from_2(reader()), payload(1, &json!({ "to": "ada" }))).await;
    let expected = "1: payload of kind `mail` is version 1, the handler reads 3: no upcaster from 1 to 2";
    assert_eq!(error, expected);
}

#[tokio::test]
async fn an_old_payload_that_is_something_else_ends_in_error_with_what_was_expected() {
    let error = error_of(from_1(from_2(reader())), payload(1, &json!({ "to": 7 }))).await;
    let expected = "1: payload of kind `mail` is version 1, the handler reads 3: from 1 to 2, \
                    it is not a versions::One: invalid type: integer `7`, expected a string";
    assert_eq!(error, expected);
    let error = error_of(from_2(reader()), Payload::bytes(*b"{").version(2)).await;
    assert!(error.starts_with("1: payload of kind `mail` is not JSON: "), "{error}");
}

#[tokio::test]
async fn a_payload_that_does_not_parse_ends_in_error_with_what_was_expected() {
    let error = error_of(reader(), payload(3, &json!({ "to": "ada" }))).await;
    assert!(error.starts_with("1: payload is not a versions::Mail: invalid type: string"), "{error}");
}

#[tokio::test]
async fn a_newer_payload_is_tried_again_as_the_policy_says() {
    let error = error_of(reader().policy(quick(|_| {})), payload(4, &json!({}))).await;
    let expected = "2: payload of kind `mail` is version 4, the handler reads 3: a worker of a newer build has to run it";
    assert_eq!(error, expected);
}

#[tokio::test]
async fn a_panic_in_an_upcaster_is_a_failure_and_frees_its_slot() {
    let handler = reader().upcast(2, |_: Value| -> Value { panic!("not so") }).policy(quick(|_| {}));
    let store = store();
    let engine =
        builder(&store).configure(|config| config.slots = 1).register(handler).start().await.unwrap();
    for _ in 0..3 {
        let id = engine.add(New::json("mail", &json!({})).version(2)).await.unwrap().id;
        let task = end(&engine, id).await;
        assert_eq!((task.status, task.errors.last()), (Status::Error, Some("panic: not so")));
    }
}

#[tokio::test]
async fn a_handler_that_reads_bytes_gets_any_version() {
    let store = store();
    let id = slip_in(&store, "mail", payload(9, &json!({}))).await;
    let engine = builder(&store).register(Handler::of("mail", |_: Run| async {})).start().await.unwrap();
    assert_eq!(end(&engine, id).await.status, Status::Done);
}

#[tokio::test]
async fn ways_with_gaps_or_repeats_are_found_at_the_start() {
    let same = |old: Value| old;
    for (handler, expected) in [
        (reader().upcast(0, same).upcast(2, same), "no upcaster from 1 to 2, but one from 0"),
        (reader().upcast(1, same), "no upcaster from 2 to 3, but one from 1"),
        (reader().upcast(2, same).upcast(2, same), "two upcasters from 2 to 3; keep one"),
        (reader().upcast(3, same), "an upcaster from 3, but the handler reads 3; raise VERSION"),
        (
            Handler::of("mail", |_: Run| async {}).upcast(0, same),
            "upcasters are for typed handlers; this one reads bytes",
        ),
    ] {
        assert_eq!(refusal(handler).await, format!("kind `mail`: {expected}"));
    }
}
