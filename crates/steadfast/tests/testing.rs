//! Tests of handlers on a stage, as a user would write them.
// A test that cannot go on says so by a panic.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use steadfast::memory::effects;
use steadfast::testing::{Mishap, Ran, Stage};
use steadfast::{
    Builder, Error, Handler, Kinded, New, Outcome, Policy, Retention, Retry, Run, Status, Task, When,
};

const MINUTE: Duration = Duration::from_secs(60);

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Order {
    amount: u64,
}

impl Kinded for Order {
    const KIND: &'static str = "order";
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Receipt {
    amount: u64,
}

impl Kinded for Receipt {
    const KIND: &'static str = "receipt";
}

/// A bank that charges once for each key, and remembers how often it was asked.
#[derive(Clone, Default)]
struct Bank(Arc<Mutex<BTreeMap<String, u32>>>);

impl Bank {
    fn charge(&self, key: String) {
        *self.0.lock().unwrap().entry(key).or_default() += 1;
    }

    fn charges(&self) -> usize {
        self.0.lock().unwrap().len()
    }

    fn asked(&self) -> u32 {
        self.0.lock().unwrap().values().sum()
    }
}

/// Charges once and sends one receipt, wherever it is interrupted.
fn shop(bank: &Bank) -> impl FnOnce(Builder) -> Builder + use<> {
    let bank = bank.clone();
    let order = move |run: Run, order: Order| {
        let bank = bank.clone();
        async move {
            bank.charge(run.task().id.to_string());
            run.point("charged").await;
            let receipt = New::of(Receipt { amount: order.amount });
            run.add(receipt.key(run.task().id.to_string())).await?;
            run.save(&order).await
        }
    };
    move |builder| builder.handle(order).handle(|_: Run, _: Receipt| async {})
}

async fn ordered(bank: &Bank) -> Stage {
    let stage = Stage::of(shop(bank)).unwrap();
    stage.engine().add(Order { amount: 7 }).await.unwrap();
    stage
}

fn of(handler: Handler, change: impl FnOnce(&mut Policy)) -> Stage {
    let mut policy = Policy::default();
    policy.retry = Retry::fixed(MINUTE, 3);
    change(&mut policy);
    Stage::of(|builder| builder.register(handler.policy(policy))).unwrap()
}

/// A stage whose handler `work` does nothing.
fn idle(change: impl FnOnce(&mut Policy)) -> Stage {
    of(Handler::of("work", |_: Run| async {}), change)
}

async fn with_work(stage: Stage) -> Stage {
    stage.engine().add(New::kind("work", "")).await.unwrap();
    stage
}

fn only(stage: &Stage) -> Task {
    let tasks = stage.tasks();
    assert_eq!(tasks.len(), 1);
    tasks.into_iter().next().unwrap()
}

fn statuses(ran: &[Ran]) -> Vec<Status> {
    ran.iter().map(|ran| ran.status).collect()
}

#[tokio::test]
async fn an_idle_stage_has_run_everything_children_included() {
    let bank = Bank::default();
    let mut stage = ordered(&bank).await;
    stage.assert_none_added::<Receipt>();
    let ran = stage.run_until_idle().await;
    assert_eq!(ran, [("order", Status::Done), ("receipt", Status::Done)]);
    assert_eq!(ran[0].outcome, Some(Outcome::Done));
    stage.assert_added(&Receipt { amount: 7 });
    assert_eq!(stage.added::<Order>(), [Order { amount: 7 }]);
    assert_eq!(stage.run_until_idle().await, []);
}

#[tokio::test]
async fn nothing_runs_before_the_test_says_so() {
    let bank = Bank::default();
    let stage = ordered(&bank).await;
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert_eq!((only(&stage).status, bank.asked()), (Status::Ready, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_idempotent_handler_survives_a_crash_at_every_point() {
    let bank = Bank::default();
    let mut stage = ordered(&bank).await;
    stage.run_until_idle().await;
    let points = stage.points();
    assert_eq!(points, ["run.begin", "charged", "run.add", "run.save", "run.end"]);

    for point in points {
        let bank = Bank::default();
        let mut stage = ordered(&bank).await;
        stage.at_point(&point, Mishap::Crash);
        let ran = stage.run_until_idle().await;
        assert_eq!(ran.len(), 3, "two runs of the order and one of the receipt, at {point}");
        assert_eq!(bank.charges(), 1, "at {point}");
        assert_eq!(stage.added::<Receipt>(), [Receipt { amount: 7 }], "at {point}");
        assert!(stage.tasks().iter().all(|task| task.status == Status::Done), "at {point}");
    }
}

#[tokio::test]
async fn a_careless_handler_is_found_out_by_a_crash_at_its_end() {
    let charges = Bank::default();
    let bank = charges.clone();
    let careless = Handler::of("work", move |run: Run| {
        let bank = bank.clone();
        // A key of the attempt and not of the task.
        async move { bank.charge(run.token().grant.to_string()) }
    });
    let mut stage = with_work(of(careless, |_| {})).await;
    stage.on_run("work", 1, Mishap::Crash);
    let ran = stage.run_until_idle().await;
    assert_eq!(statuses(&ran), [Status::Running, Status::Done]);
    assert_eq!(ran[0].outcome, Some(Outcome::Done), "its work was done");
    assert_eq!(charges.charges(), 2);
    assert_eq!(only(&stage).lost, 1);
}

#[tokio::test]
async fn a_kind_that_runs_at_most_once_is_not_run_again_after_a_crash() {
    let mut stage = with_work(idle(|policy| policy.at_most_once = true)).await;
    stage.on_run("work", 1, Mishap::Crash);
    assert_eq!(stage.run_until_idle().await.len(), 1);
    assert_eq!(only(&stage).status, Status::Error);
}

#[tokio::test]
async fn failures_and_panics_are_tried_again_at_their_time() {
    let mut stage = with_work(idle(|_| {})).await;
    stage.on_run("work", 1, Mishap::Fail("busy".into()));
    stage.on_run("work", 2, Mishap::Panic);
    let began = stage.now();
    assert_eq!(stage.run_until_idle().await, [("work", Status::Waiting)]);
    assert_eq!(stage.pass(MINUTE * 2 / 3).await, []);
    assert_eq!(stage.pass(MINUTE * 2).await, [("work", Status::Waiting), ("work", Status::Done)]);
    assert_eq!(stage.now(), began.after(MINUTE * 8 / 3));
    let task = only(&stage);
    assert_eq!((task.attempt, task.due_at), (3, began.after(MINUTE * 2)), "each at its time");
    assert_eq!(task.errors.last(), Some("panic: a mishap of the test"));
}

#[tokio::test]
async fn a_run_that_hangs_is_taken_away_at_its_deadline() {
    let mut stage = with_work(idle(|policy| policy.deadline = MINUTE)).await;
    stage.on_run("work", 1, Mishap::Hang);
    assert_eq!(stage.run_until_idle().await, [("work", Status::Running)]);
    assert_eq!(stage.pass(MINUTE).await, []);
    assert_eq!((only(&stage).status, only(&stage).errors.last()), (Status::Waiting, Some("deadline passed")));
    assert_eq!(stage.pass(MINUTE).await, [("work", Status::Done)]);
}

#[tokio::test]
async fn a_cancelled_run_can_write_nothing_any_more() {
    let heard = Arc::new(Mutex::new(None));
    let said = heard.clone();
    let saves = Handler::of("work", move |run: Run| {
        let said = said.clone();
        async move {
            run.point("before").await;
            let saved = run.save(&1).await;
            *said.lock().unwrap() = Some((run.is_cancelled(), matches!(saved, Err(Error::Lost))));
        }
    });
    let mut stage = with_work(of(saves, |_| {})).await;
    stage.at_point("before", Mishap::Cancel);
    assert_eq!(stage.run_until_idle().await, [("work", Status::Cancelled)]);
    assert_eq!(*heard.lock().unwrap(), Some((true, true)));
}

#[tokio::test]
async fn an_ejected_task_runs_again_at_once_under_another_grant() {
    let mut stage = with_work(idle(|_| {})).await;
    stage.on_run("work", 1, Mishap::Eject);
    assert_eq!(stage.run_until_idle().await, [("work", Status::Running), ("work", Status::Done)]);
    assert_eq!(only(&stage).attempt, 2);
}

#[tokio::test]
async fn effects_happen_once_though_the_reply_to_their_commit_is_lost() {
    let bank = Bank::default();
    let charges = bank.clone();
    let pays = Handler::of("work", move |_: Run| {
        let bank = charges.clone();
        async move {
            effects(move || {
                bank.charge("once".into());
                Ok::<_, String>(Outcome::Done)
            })
        }
    });
    let mut stage = with_work(of(pays, |_| {})).await;
    stage.on_run("work", 1, Mishap::LoseReply);
    assert_eq!(stage.run_until_idle().await, [("work", Status::Done)]);
    assert_eq!(stage.pass(MINUTE * 10).await, []);
    assert_eq!(bank.asked(), 1);
}

#[tokio::test]
async fn a_finish_whose_reply_is_lost_counts_once() {
    let mut stage = with_work(idle(|_| {})).await;
    stage.on_run("work", 1, Mishap::LoseReply);
    assert_eq!(stage.run_until_idle().await, [("work", Status::Done)]);
    assert_eq!(only(&stage).attempt, 1);
}

#[tokio::test]
async fn one_handler_is_called_with_what_its_task_went_through() {
    let steps = Handler::of("work", |run: Run| async move {
        run.progress("half").await?;
        match (run.task().step.as_deref(), run.task().failures) {
            (Some("ask"), _) => Ok::<_, Error>(Outcome::step("decide")),
            (_, 2) => Ok(Outcome::Fail("twice is enough".into())),
            _ => Ok(Outcome::Later { until: When::After(MINUTE) }),
        }
    });
    let mut stage = of(steps, |_| {});
    let new = || New::kind("work", "").key("k").serial("s");
    assert_eq!(stage.run_one(new().step("ask")).await, Outcome::step("decide"));
    let failed = stage.run_one_as(new(), |task| task.failures = 2).await;
    assert_eq!(failed, Outcome::Fail("twice is enough".into()));
    assert_eq!(stage.run_one(new()).await, Outcome::Later { until: When::After(MINUTE) });
    assert_eq!(stage.tasks(), []);
}

#[tokio::test]
async fn steps_that_follow_at_once_are_calls_of_their_own() {
    let steps = Handler::of("work", |run: Run| async move {
        match run.task().step.as_deref() {
            None => Outcome::step("second"),
            Some(_) => Outcome::Done,
        }
    });
    let mut stage = with_work(of(steps, |_| {})).await;
    let ran = stage.run_until_idle().await;
    assert_eq!(ran, [("work", Status::Running), ("work", Status::Done)]);
    let steps: BTreeSet<_> = ran.iter().map(|ran| ran.step.as_deref()).collect();
    assert_eq!(steps, BTreeSet::from([None, Some("second")]));
}

#[tokio::test]
async fn serial_tasks_run_in_the_order_of_adding() {
    let mut stage = idle(|_| {});
    let new = |search: &str| New::kind("work", "").serial("one").search1(search);
    for name in ["a", "b", "c"] {
        stage.engine().add(new(name)).await.unwrap();
    }
    let ids: Vec<_> = stage.tasks().iter().map(|task| task.id).collect();
    let ran: Vec<_> = stage.run_until_idle().await.iter().map(|ran| ran.id).collect();
    assert_eq!(ran, ids);
}

#[tokio::test]
async fn what_was_added_stays_known_whatever_the_retention() {
    for retention in [Retention::History, Retention::Bare, Retention::Delete] {
        let mut policy = Policy::default();
        policy.retention = retention;
        let handler = Handler::typed(|_: Run, _: Order| async {}).policy(policy);
        let mut stage = Stage::of(|builder| builder.register(handler)).unwrap();
        stage.engine().add(Order { amount: 1 }).await.unwrap();
        assert_eq!(stage.run_until_idle().await, [("order", Status::Done)]);
        stage.assert_added(&Order { amount: 1 });
        assert_eq!(only(&stage).status, Status::Done);
    }
}

#[tokio::test]
#[should_panic(expected = "no `receipt` was added with Receipt { amount: 8 }; there is:\n  order (done) \
                           {\"amount\":7}\n  receipt (done) {\"amount\":7}")]
async fn a_missing_task_is_told_with_what_there_is_instead() {
    let mut stage = ordered(&Bank::default()).await;
    stage.run_until_idle().await;
    stage.assert_added(&Receipt { amount: 8 });
}

#[tokio::test]
#[should_panic(expected = "the stage is not idle after 10000 calls of handlers; the last: work, attempt")]
async fn a_task_that_never_ends_does_not_hang_the_test() {
    let forever = Handler::of("work", |_: Run| async { Outcome::Wait { until: When::Now, payload: None } });
    with_work(of(forever, |_| {})).await.run_until_idle().await;
}
