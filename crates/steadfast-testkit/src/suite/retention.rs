//! What is kept of a task that ended.

use super::{Case, case};
use crate::ground::{Ground, expect};
use steadfast_core::{
    Deed, Filter, NewTask, Payload, Refusal, Retention, Scope, Status, Task, TaskId, To, When,
};

pub(super) fn cases() -> Vec<Case> {
    vec![
        case(a_task_kept_in_the_history_is_kept_whole),
        case(a_task_kept_bare_is_kept_without_its_payload),
        case(a_task_kept_not_at_all_is_gone),
        case(a_cancelled_task_is_kept_whole),
        case(an_acknowledged_task_is_kept_whole),
        case(a_task_from_the_history_runs_again),
        case(a_task_without_its_payload_cannot_run_again),
        case(a_bare_task_that_had_an_empty_payload_runs_again),
        case(a_task_that_is_gone_cannot_run_again),
        case(the_living_and_the_history_are_looked_at_apart),
    ]
}

async fn done(ground: &Ground, retention: Retention) -> Task {
    let task = ground.running(ground.worker().await).await;
    let _ = ground.end(&task, To::Done(retention)).await;
    task
}

async fn found(ground: &Ground, scope: Scope) -> Vec<TaskId> {
    let page = expect(ground.store.find(Filter { scope, ..Filter::default() }, None, 10)).await;
    page.tasks.iter().map(|task| task.id).collect()
}

async fn a_task_kept_in_the_history_is_kept_whole(ground: Ground) {
    let task = done(&ground, Retention::History).await;
    let kept = ground.get(task.id).await;
    assert_eq!(
        (kept.status, &kept.payload, kept.payload_len),
        (Status::Done, &task.payload, task.payload_len)
    );
    assert_eq!(found(&ground, Scope::History).await, [task.id]);
}

// DA-22.
async fn a_task_kept_bare_is_kept_without_its_payload(ground: Ground) {
    let task = done(&ground, Retention::Bare).await;
    let kept = ground.get(task.id).await;
    assert_eq!((kept.status, &kept.payload, kept.payload_len), (Status::Done, &None, task.payload_len));
    assert_eq!(found(&ground, Scope::History).await, [task.id]);
}

// DA-21, L-09, M-10.
async fn a_task_kept_not_at_all_is_gone(ground: Ground) {
    let task = done(&ground, Retention::Delete).await;
    assert_eq!(ground.find(task.id).await, None);
    assert_eq!(expect(ground.store.payload(task.id)).await, None);
    assert!(found(&ground, Scope::History).await.is_empty());
    assert!(found(&ground, Scope::Live).await.is_empty());
}

async fn a_cancelled_task_is_kept_whole(ground: Ground) {
    let id = ground.add(ground.task("mail")).await;
    ground.act(id, Deed::Cancel).await.unwrap();
    let kept = ground.get(id).await;
    assert_eq!((kept.status, kept.due_at), (Status::Cancelled, ground.now()));
    assert!(kept.payload.is_some());
    assert_eq!(found(&ground, Scope::History).await, [id]);
    assert!(found(&ground, Scope::Live).await.is_empty());
}

async fn an_acknowledged_task_is_kept_whole(ground: Ground) {
    let task = ground.running(ground.worker().await).await;
    let _ = ground.end(&task, To::Error).await;
    ground.act(task.id, Deed::Ack).await.unwrap();
    let kept = ground.get(task.id).await;
    assert_eq!((kept.status, kept.payload), (Status::Failed, task.payload));
    assert_eq!(found(&ground, Scope::History).await, [task.id]);
}

async fn a_task_from_the_history_runs_again(ground: Ground) {
    let task = done(&ground, Retention::History).await;
    let ended = ground.get(task.id).await;
    ground.pass_s(5);
    let mut wanted = ended.clone();
    let acted = Deed::Again(When::Now).apply(&mut wanted, ground.now()).unwrap();
    assert_eq!(ground.act(task.id, Deed::Again(When::Now)).await, Ok(acted));
    let again = ground.get(task.id).await;
    assert_eq!(again, Task { seq: again.seq, ..wanted });
    assert!(found(&ground, Scope::History).await.is_empty());
    let run = ground.grab_one(ground.worker().await, "mail").await;
    assert!(run.id == task.id && run.grant > task.grant);
    assert_eq!(run.payload, task.payload);
}

async fn a_task_without_its_payload_cannot_run_again(ground: Ground) {
    let task = done(&ground, Retention::Bare).await;
    let before = ground.get(task.id).await;
    let refused = ground.act(task.id, Deed::Again(When::Now)).await;
    assert_eq!(refused, Err(Refusal::PayloadGone(task.id)));
    assert_eq!(ground.get(task.id).await, before);
}

async fn a_bare_task_that_had_an_empty_payload_runs_again(ground: Ground) {
    let worker = ground.worker().await;
    let payload = Payload::bytes([]);
    let task = ground.running_as(worker, NewTask { payload: payload.clone(), ..ground.task("mail") }).await;
    let _ = ground.end(&task, To::Done(Retention::Bare)).await;
    ground.act(task.id, Deed::Again(When::Now)).await.unwrap();
    assert_eq!(ground.grab_one(worker, "mail").await.payload, Some(payload));
}

async fn a_task_that_is_gone_cannot_run_again(ground: Ground) {
    let task = done(&ground, Retention::Delete).await;
    let guard = steadfast_core::Guard::Version(task.version);
    let refused = ground.act_guarded(task.id, guard, Deed::Again(When::Now)).await;
    assert_eq!(refused, Err(Refusal::NoTask(task.id)));
}

async fn the_living_and_the_history_are_looked_at_apart(ground: Ground) {
    let ended = done(&ground, Retention::History).await.id;
    let living = ground.add(ground.task("mail")).await;
    assert_eq!(found(&ground, Scope::Live).await, [living]);
    assert_eq!(found(&ground, Scope::History).await, [ended]);
}
