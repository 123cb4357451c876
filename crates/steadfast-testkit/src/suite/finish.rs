//! What becomes of a task at the end of a run.

use super::{Case, case};
use crate::ground::{Ground, expect, fence, in_s, kind, s, to};
use steadfast_core::seam::{Cause, Finish, Finished, Save};
use steadfast_core::{
    Change, Errors, Key, NewTask, Outcome, Payload, Policy, Retention, Status, Task, Time, To, When, decide,
    give_back,
};

pub(super) fn cases() -> Vec<Case> {
    vec![
        case(a_run_that_ends_as_failed_is_kept_whole_and_lets_its_key_go),
        case(a_task_that_goes_on_at_once_is_ready),
        case(a_task_that_goes_on_later_waits),
        case(a_task_sent_back_to_the_past_is_ready_as_of_now),
        case(a_task_in_error_is_kept_among_the_living),
        case(a_parked_task_keeps_grant_and_worker),
        case(a_done_task_is_not_among_the_living),
        case(a_finish_writes_all_that_the_change_says),
        case(a_finish_leaves_alone_what_the_change_does_not_say),
        case(a_task_of_another_kind_begins_without_a_step),
        case(a_finish_may_carry_a_large_payload),
        case(a_failure_is_counted_and_told),
        case(a_given_back_run_does_not_count),
        case(a_given_back_run_keeps_its_place_in_line),
        case(a_parked_task_may_be_parked_again),
        case(an_empty_batch_finishes_nothing),
        case(a_batch_of_different_ends_keeps_its_order),
        case(a_batch_ends_what_is_held_wherever_it_was_written_since),
    ]
}

/// Finishes a run with this change: the row must be as the change itself says.
async fn check_change(ground: &Ground, change: impl FnOnce(&Task) -> Change) -> Task {
    let task = ground.running_as(ground.stranger(), full(ground)).await;
    let change = change(&task);
    ground.pass_s(7);
    let mut wanted = task.clone();
    change.apply(&mut wanted, ground.now());
    let finished = ground.finish(fence(&task), Cause::Holder, change).await;
    assert_eq!(finished, Finished::Accepted { status: wanted.status, due_at: wanted.due_at });
    assert_eq!(ground.get(task.id).await, wanted);
    wanted
}

fn full(ground: &Ground) -> NewTask {
    let (step, search1) = (Some("first".into()), Some("customer 1".into()));
    NewTask { step, search1, ..ground.task("full") }
}

async fn a_task_that_goes_on_at_once_is_ready(ground: Ground) {
    let task = check_change(&ground, |task| to(task, To::Run(When::Now))).await;
    assert_eq!((task.status, task.worker, task.ready_at), (Status::Ready, None, ground.now()));
}

// DA-05, L-07.
async fn a_task_that_goes_on_later_waits(ground: Ground) {
    let task = check_change(&ground, |task| to(task, To::Run(in_s(60)))).await;
    assert_eq!((task.status, task.due_at), (Status::Waiting, ground.now().after(s(60))));
    let at = When::At(ground.now().after(s(90)));
    assert_eq!(check_change(&ground, |task| to(task, To::Run(at))).await.status, Status::Waiting);
}

async fn a_task_sent_back_to_the_past_is_ready_as_of_now(ground: Ground) {
    let past = When::At(Time::from_micros(5));
    let task = check_change(&ground, |task| to(task, To::Run(past))).await;
    assert_eq!((task.status, task.ready_at), (Status::Ready, ground.now()));
}

async fn a_task_in_error_is_kept_among_the_living(ground: Ground) {
    let task = check_change(&ground, |task| to(task, To::Error)).await;
    assert_eq!((task.status, task.worker, task.deadline_at), (Status::Error, None, None));
    let filter = steadfast_core::Filter { status: Some(Status::Error), ..Default::default() };
    assert_eq!(expect(ground.store.find(filter, None, 10)).await.tasks.len(), 1);
}

async fn a_parked_task_keeps_grant_and_worker(ground: Ground) {
    let task = check_change(&ground, |task| to(task, To::Parked(in_s(60)))).await;
    assert_eq!((task.status, task.due_at), (Status::Parked, ground.now().after(s(60))));
    assert!(task.worker.is_some() && task.grant.get() == 1);
}

// L-09, M-10.
async fn a_done_task_is_not_among_the_living(ground: Ground) {
    let task = check_change(&ground, |task| to(task, To::Done(Retention::History))).await;
    assert_eq!((task.status, task.due_at, task.worker), (Status::Done, ground.now(), None));
    let live = expect(ground.store.find(steadfast_core::Filter::default(), None, 10)).await;
    assert!(live.tasks.is_empty());
}

async fn a_finish_writes_all_that_the_change_says(ground: Ground) {
    for end in [To::Done(Retention::History), To::Error, To::Run(When::Now), To::Parked(in_s(9))] {
        check_change(&ground, |_| Change {
            to: end,
            attempt: 11,
            failures: 12,
            lost: 13,
            errors: Some(Errors::default().with(1, "böse 🦀").with(2, "again")),
            output: Some("out\nput".into()),
            kind: Some(kind("other kind")),
            step: Some("second".into()),
            payload: Some(Payload::json("mail", &[1, 2]).unwrap().version(3)),
        })
        .await;
    }
}

async fn a_finish_leaves_alone_what_the_change_does_not_say(ground: Ground) {
    let errors = Some(Errors::default().with(1, "once"));
    let task = ground.running_as(ground.stranger(), full(&ground)).await;
    let change = Change { errors, output: Some("kept".into()), ..to(&task, To::Run(When::Now)) };
    let _ = ground.finish(fence(&task), Cause::Holder, change).await;
    let task = ground.grab_one(ground.stranger(), "full").await;
    let _ = ground.end(&task, To::Run(When::Now)).await;
    let now = ground.get(task.id).await;
    assert_eq!((now.output.as_deref(), now.errors.last()), (Some("kept"), Some("once")));
    assert_eq!((&now.step, &now.payload, &now.search1), (&task.step, &task.payload, &task.search1));
}

async fn a_task_of_another_kind_begins_without_a_step(ground: Ground) {
    let to_kind = |task: &Task| Change { kind: Some(kind("other kind")), ..to(task, To::Run(When::Now)) };
    let task = check_change(&ground, to_kind).await;
    assert_eq!((task.kind, task.step), (kind("other kind"), None));
}

async fn a_finish_may_carry_a_large_payload(ground: Ground) {
    for len in [0, 200_000] {
        let payload = Some(Payload::bytes(vec![3; len]));
        let task = check_change(&ground, |task| Change { payload, ..to(task, To::Run(in_s(9))) }).await;
        assert_eq!(task.payload_len, len);
    }
}

async fn a_failure_is_counted_and_told(ground: Ground) {
    let policy = Policy::default();
    let task =
        check_change(&ground, |task| decide(task, &policy, Outcome::retry("no answer"), None, 1)).await;
    assert_eq!((task.failures, task.errors.last()), (1, Some("no answer")));
    let fail = Outcome::Fail("bad address".into());
    let task = check_change(&ground, |task| decide(task, &policy, fail, Some("half".into()), 1)).await;
    assert_eq!((task.status, task.output.as_deref()), (Status::Error, Some("half")));
}

async fn a_given_back_run_does_not_count(ground: Ground) {
    let task = check_change(&ground, |task| give_back(task, &Policy::default(), true)).await;
    assert_eq!((task.status, task.attempt, task.failures), (Status::Ready, 0, 0));
    assert_eq!(task.grant.get(), 1, "attempts may go back, the fence never does");
}

async fn a_given_back_run_keeps_its_place_in_line(ground: Ground) {
    let worker = ground.worker().await;
    let first = ground.add(ground.task("mail")).await;
    ground.pass_s(1);
    ground.add_n("mail", 3).await;
    ground.pass_s(1);
    let taken = ground.grab_one(worker, "mail").await;
    assert_eq!(taken.id, first);
    assert_ne!(ground.end(&taken, To::Back).await, Finished::Lost);
    assert_eq!(ground.look(10).await.notes[0].ready_at, taken.ready_at);
    assert_eq!(ground.grab_one(worker, "mail").await.id, first);
}

async fn a_parked_task_may_be_parked_again(ground: Ground) {
    let task = ground.parked(ground.worker().await).await;
    assert_ne!(ground.end(&task, To::Parked(in_s(9000))).await, Finished::Lost);
    let now = ground.get(task.id).await;
    assert_eq!((now.status, now.due_at), (Status::Parked, ground.now().after(s(9000))));
    assert_eq!(now.fence(), task.fence());
}

async fn an_empty_batch_finishes_nothing(ground: Ground) {
    assert!(ground.finish_all(Vec::new()).await.is_empty());
    assert!(expect(ground.store.save(Vec::new())).await.is_empty());
    assert!(expect(ground.store.act(Vec::new())).await.is_empty());
}

async fn a_batch_ends_what_is_held_wherever_it_was_written_since(ground: Ground) {
    let worker = ground.worker().await;
    ground.add_n("mail", 3).await;
    let tasks = ground.grab(worker, "mail", 3).await;
    let _ = ground.save(Save { step: Some("two".into()), ..ground.save_of(&tasks[1]) }).await;
    let _ = ground.end(&tasks[2], To::Run(When::Now)).await;
    let done = |task: &Task| Finish {
        fence: fence(task),
        cause: Cause::Holder,
        change: to(task, To::Done(Retention::Delete)),
    };
    let finished = ground.finish_all(tasks.iter().map(done).collect()).await;
    let lost: Vec<bool> = finished.iter().map(|finished| *finished == Finished::Lost).collect();
    assert_eq!(lost, [false, false, true]);
    assert_eq!(ground.status(tasks[2].id).await, Status::Ready);
}

async fn a_batch_of_different_ends_keeps_its_order(ground: Ground) {
    let worker = ground.worker().await;
    ground.add_n("mail", 5).await;
    let mut tasks = ground.grab(worker, "mail", 5).await;
    tasks.reverse();
    let done = To::Done(Retention::Bare);
    let ends = [done, To::Error, To::Run(When::Now), To::Run(in_s(5)), To::Parked(in_s(5))];
    let batch = tasks.iter().zip(ends).map(|(task, end)| Finish {
        fence: fence(task),
        cause: Cause::Holder,
        change: to(task, end),
    });
    let finished = ground.finish_all(batch.collect()).await;
    let wanted = [Status::Done, Status::Error, Status::Ready, Status::Waiting, Status::Parked];
    for ((finished, task), wanted) in finished.iter().zip(&tasks).zip(wanted) {
        assert!(matches!(finished, Finished::Accepted { status, .. } if *status == wanted), "{finished:?}");
        assert_eq!(ground.status(task.id).await, wanted);
    }
}

async fn a_run_that_ends_as_failed_is_kept_whole_and_lets_its_key_go(ground: Ground) {
    let key = Key::key("order 7");
    let keyed = NewTask { key: Some(key.clone()), key_window: s(60), ..ground.task("mail") };
    let task = ground.running_as(ground.stranger(), keyed.clone()).await;
    let finished = ground.end(&task, To::Failed).await;
    assert_eq!(finished, Finished::Accepted { status: Status::Failed, due_at: ground.now() });
    let ended = ground.get(task.id).await;
    assert_eq!((ended.status, ended.worker, ended.payload), (Status::Failed, None, Some(keyed.payload)));
    assert!(ground.grab(ground.stranger(), "mail", 9).await.is_empty());
    ground.pass_s(61);
    assert_eq!(expect(ground.store.look_up(key)).await, None);
}
