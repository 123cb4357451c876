//! Handlers that are registered where they are written.
// A test that cannot go on says so by a panic.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{homes, memory, until};
use std::time::Duration;
use steadfast::{
    BoxError, Builder, Handler, Kind, Kinded, Limit, New, Policy, Retention, Retry, Run, Status, Task,
};

#[derive(serde::Serialize, serde::Deserialize)]
struct Welcome {
    to: String,
}

impl Kinded for Welcome {
    const KIND: &'static str = "mail.welcome";
}

#[steadfast::task]
async fn welcome(run: Run, mail: Welcome) {
    run.output(format!("welcome, {}", mail.to));
}

#[steadfast::task(
    kind = "pay",
    retry = ["10s", "20s", "30s"],
    deadline = "90s",
    bucket = "bank",
    priority = 2,
    limit = 3,
    at_most_once,
    policy = bare
)]
async fn pay(run: Run, cents: u64) -> Result<(), BoxError> {
    run.output(format!("{cents} cents"));
    Ok(())
}

fn bare(policy: &mut Policy) {
    policy.retention = Retention::Bare;
}

#[steadfast::task(kind = "tick", retry = 2, policy = |policy| policy.lost_max = 9)]
async fn tick(_: Run) {}

async fn policy_of(builder: Builder, kind: &str) -> Policy {
    let engine = builder.start().await.unwrap();
    let kind = Kind::new(kind).unwrap();
    engine.kinds().await.unwrap().into_iter().find(|row| row.kind == kind).expect("it is declared").policy
}

async fn refused(builder: Builder) -> String {
    builder.start().await.unwrap_err().to_string()
}

async fn run(builder: Builder, new: New) -> Task {
    let engine = builder.start().await.unwrap();
    let added = engine.add(new).await.unwrap();
    until(&engine, added.id, Status::Done).await
}

// M-24: found by their names, wherever they are written.
#[tokio::test(flavor = "multi_thread")]
async fn all_handlers_with_the_attribute_are_taken() {
    for home in homes() {
        let task = run(home.builder().registered(), New::of(Welcome { to: "ada".into() })).await;
        assert_eq!(task.output.as_deref(), Some("welcome, ada"));
        let task = run(home.builder().registered(), New::json("pay", &1999)).await;
        assert_eq!((task.output.as_deref(), task.bucket.as_str()), (Some("1999 cents"), "bank"));
        assert_eq!((task.priority.get(), task.payload), (2, None));
        run(home.builder().registered(), New::kind("tick", "")).await;
    }
}

#[tokio::test]
async fn the_attribute_says_the_rules_of_its_kind() {
    let policy = policy_of(memory().builder().registered(), "pay").await;
    assert_eq!(policy.retry, Retry::list([10, 20, 30].map(Duration::from_secs)));
    assert_eq!((policy.deadline, policy.at_most_once), (Duration::from_secs(90), true));
    assert_eq!((policy.bucket.as_str(), policy.retention), ("bank", Retention::Bare));
    let policy = policy_of(memory().builder().registered(), "tick").await;
    assert_eq!((policy.retry.times(), policy.lost_max), (2, 9));
    let policy = policy_of(memory().builder().registered(), "mail.welcome").await;
    assert_eq!(policy, Policy::default());
    let engine = memory().builder().registered().start().await.unwrap();
    let offer = &engine.workers().await.unwrap()[0].offer;
    assert_eq!(offer.find(&Kind::new("pay").unwrap()).unwrap().limits, [Limit::own(3)]);
}

#[tokio::test]
async fn nothing_is_taken_that_was_not_asked_for() {
    let engine = memory().builder().start().await.unwrap();
    assert!(engine.kinds().await.unwrap().is_empty());
}

// M-24: in the original, the first one wins in silence.
#[tokio::test]
async fn all_names_that_two_handlers_have_are_told_at_the_start() {
    let nothing = |_: Run| async {};
    let builder =
        memory().builder().registered().register(Handler::of("tick", nothing)).retired(["pay", "old"]);
    assert_eq!(refused(builder).await, "two handlers for `pay`, `tick`; keep one of each");
}

#[tokio::test]
async fn configuration_changes_what_it_names_and_nothing_else() {
    let slow = |handler: Handler| {
        let mut policy = Policy::default();
        policy.deadline = Duration::from_secs(7);
        handler.policy(policy)
    };
    let policy = policy_of(memory().builder().registered().adjust("tick", slow), "tick").await;
    assert_eq!(policy.deadline, Duration::from_secs(7));
    let unknown = refused(memory().builder().registered().adjust("tock", slow)).await;
    assert_eq!(unknown, "no handler for `tock` in this engine (known: mail.welcome, pay, tick)");
    assert_eq!(
        refused(memory().builder().adjust("a", slow)).await,
        "no handler for `a` in this engine (known: none)"
    );
    let prefix = memory().builder().register(Handler::prefix("mail.", |_: Run| async {}));
    assert_eq!(policy_of(prefix.adjust("mail.*", slow), "mail.*").await.deadline, Duration::from_secs(7));
}

// U-02, M-08: a kind that nobody handles is left alone, reported, and ended when it is declared as retired.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_left_of_a_retired_kind_ends_as_done() {
    for home in homes() {
        let engine = home.builder().registered().start().await.unwrap();
        let left = engine.add(New::kind("mail.fax", "kept")).await.unwrap().id;
        let other = engine.add(New::kind("tick", "")).await.unwrap().id;
        until(&engine, other, Status::Done).await;
        assert_eq!(engine.get(left).await.unwrap().unwrap().status, Status::Ready);
        let findings = engine.check().await.unwrap();
        let orphans = findings.iter().find(|finding| finding.about == "kinds").unwrap();
        assert_eq!(orphans.text, "tasks of kinds that no live worker handles: 1 (mail.fax)");
        let next = home.builder().registered().retired(["mail.fax"]).start().await.unwrap();
        let task = until(&next, left, Status::Done).await;
        assert_eq!(task.output.as_deref(), Some("retired: nothing was done"));
    }
}
