//! State machines of typed steps.
// A test that cannot go on says so by a panic.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{at_once, homes, memory, until};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use steadfast::{BoxError, Fence, Kinded, LeadsTo, Machine, New, Run, Status, Step, Turn};

#[derive(Serialize, Deserialize)]
struct Scan(String);
#[derive(Serialize, Deserialize)]
struct Ask {
    read: String,
    asked: u32,
}
#[derive(Serialize, Deserialize)]
struct Decide {
    read: String,
    good: bool,
}
#[derive(Serialize, Deserialize)]
struct GiveUp;

impl Kinded for Scan {
    const KIND: &'static str = "document";
}
impl Step for Scan {
    const STEP: &'static str = "scan";
}
impl Step for Ask {
    const STEP: &'static str = "ask";
}
impl Step for Decide {
    const STEP: &'static str = "decide";
}
impl Step for GiveUp {
    const STEP: &'static str = "give up";
}
impl LeadsTo<Ask> for Scan {}
impl LeadsTo<Decide> for Ask {}
impl LeadsTo<GiveUp> for Ask {}

async fn scan(_: Run, scan: Scan) -> Result<Turn<Scan>, BoxError> {
    if scan.0.is_empty() {
        return Ok(Turn::fail("an empty page"));
    }
    Ok(Turn::to(Ask { read: scan.0.to_uppercase(), asked: 0 }))
}

async fn ask(run: Run, ask: Ask) -> Result<Turn<Ask>, BoxError> {
    match (ask.read.as_str(), ask.asked) {
        ("NOBODY", _) => Ok(Turn::retry("nobody answers").or_else(GiveUp)),
        ("CLERK", _) => {
            run.progress(run.token().to_string()).await?;
            Ok(Turn::later(Duration::from_secs(60)))
        }
        (_, 0) => Ok(Turn::wait(Ask { asked: 1, ..ask }, Duration::from_millis(5))),
        _ => Ok(Turn::to(Decide { read: ask.read, good: true }).after(Duration::from_millis(5))),
    }
}

async fn decide(run: Run, decide: Decide) -> Result<Turn<Decide>, BoxError> {
    run.output(format!("{} {}", decide.read, decide.good));
    Ok(Turn::done())
}

async fn give_up(_: Run, _: GiveUp) -> Result<Turn<GiveUp>, BoxError> {
    Ok(Turn::done())
}

fn machine() -> steadfast::Handler {
    Machine::starts(scan).step(ask).step(decide).step(give_up).handler().unwrap().policy(at_once(2))
}

// L2, L9, L10, L14.
#[tokio::test(flavor = "multi_thread")]
async fn a_machine_goes_from_step_to_step_with_what_is_known() {
    for home in homes() {
        let engine = home.builder().register(machine()).start().await.unwrap();
        let id = engine.add(Scan("page".into())).await.unwrap().id;
        let task = until(&engine, id, Status::Done).await;
        assert_eq!((task.step.as_deref(), task.output.as_deref()), (Some("decide"), Some("PAGE true")));
        assert_eq!(task.attempt, 3, "two waits let go of the slot");
        let id = engine.add(Scan("nobody".into())).await.unwrap().id;
        let task = until(&engine, id, Status::Done).await;
        assert_eq!((task.step.as_deref(), task.errors.all().len()), (Some("give up"), 3));
        let id = engine.add(Scan(String::new())).await.unwrap().id;
        assert_eq!(until(&engine, id, Status::Error).await.errors.last(), Some("an empty page"));
    }
}

#[tokio::test]
async fn a_parked_step_goes_on_where_a_token_says() {
    let engine = memory().builder().register(machine()).start().await.unwrap();
    let id = engine.add(Scan("clerk".into())).await.unwrap().id;
    let token: Fence = until(&engine, id, Status::Parked).await.progress.unwrap().parse().unwrap();
    let answer = Decide { read: "CLERK".into(), good: false };
    engine.finish(token, Turn::<Ask>::to(answer)).await.unwrap();
    assert_eq!(until(&engine, id, Status::Done).await.output.as_deref(), Some("CLERK false"));
}

// L-26, L-27: nothing is dropped that this build cannot read.
#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_step_or_payload_ends_in_error_and_is_kept() {
    for home in homes() {
        let engine = home.builder().register(machine()).start().await.unwrap();
        let new = New::json("document", &"page").step("fold");
        let task = until(&engine, engine.add(new).await.unwrap().id, Status::Error).await;
        let known = "unknown step `fold` of `document` (known: scan, ask, decide, give up)";
        assert_eq!((task.errors.last(), task.step.as_deref()), (Some(known), Some("fold")));
        assert_eq!(task.payload.unwrap().bytes.as_ref(), b"\"page\"");
        let new = New::json("document", &7).step("ask");
        let task = until(&engine, engine.add(new).await.unwrap().id, Status::Error).await;
        assert!(
            task.errors.last().unwrap().starts_with("payload is not a step `ask`: "),
            "{:?}",
            task.errors
        );
        assert_eq!(task.payload.unwrap().bytes.as_ref(), b"7");
    }
}

#[test]
fn a_step_given_twice_is_refused() {
    let twice = Machine::starts(scan).step(ask).step(ask).handler().unwrap_err();
    assert_eq!(twice.to_string(), "two handlers for `document` at step `ask`; keep one of each");
    assert_eq!(twice.code(), "two-handlers");
}
