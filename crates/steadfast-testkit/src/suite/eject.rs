//! Taking a task over at once.

use super::{Case, case};
use crate::ground::{Ground, expect, fence, s};
use steadfast_core::limit::PAYLOAD_INLINE_BYTES_MAX;
use steadfast_core::seam::{Eject, Finished, Save};
use steadfast_core::{Deed, Guard, Payload, Refusal, Retention, Status, Task, To, WorkerId};

pub(super) fn cases() -> Vec<Case> {
    vec![
        case(an_ejected_task_runs_in_new_hands),
        case(an_ejected_run_can_write_nothing),
        case(an_ejection_may_change_step_and_payload),
        case(an_ejection_leaves_alone_what_it_does_not_say),
        case(an_ejection_by_grant_is_not_escaped_by_saving),
        case(a_parked_task_can_be_ejected_and_its_token_is_void),
        case(a_task_that_nobody_holds_cannot_be_ejected),
        case(an_ended_task_cannot_be_ejected),
        case(an_unknown_task_cannot_be_ejected),
        case(a_stale_ejection_is_refused_and_changes_nothing),
        case(a_worker_may_eject_its_own_run),
        case(an_ejected_task_comes_without_a_large_payload),
        case(of_two_racing_ejections_by_one_grant_one_wins),
    ]
}

fn eject_of(task: &Task, worker: WorkerId) -> Eject {
    let guard = Guard::Version(task.version);
    Eject { id: task.id, guard, worker, deadline: s(60), step: None, payload: None }
}

async fn eject(ground: &Ground, eject: Eject) -> Result<Task, Refusal> {
    expect(ground.store.eject(eject)).await
}

// L-04.
async fn an_ejected_task_runs_in_new_hands(ground: Ground) {
    let old = ground.running(ground.worker().await).await;
    let worker = ground.worker().await;
    ground.pass_s(1);
    let mut wanted = old.clone();
    wanted.granted(worker, s(60), ground.now());
    assert_eq!(eject(&ground, eject_of(&old, worker)).await, Ok(wanted.clone()));
    assert_eq!(ground.get(old.id).await, wanted);
    assert_ne!(ground.end(&wanted, To::Done(Retention::History)).await, Finished::Lost);
}

// L-22.
async fn an_ejected_run_can_write_nothing(ground: Ground) {
    let old = ground.running(ground.worker().await).await;
    let task = eject(&ground, eject_of(&old, ground.worker().await)).await.unwrap();
    assert_eq!(ground.end(&old, To::Done(Retention::Delete)).await, Finished::Lost);
    assert_eq!(ground.get(old.id).await, task);
}

async fn an_ejection_may_change_step_and_payload(ground: Ground) {
    let old = ground.running(ground.worker().await).await;
    let (step, payload) = (Some("cancel".to_owned()), Some(Payload::bytes(*b"new")));
    let change =
        Eject { step: step.clone(), payload: payload.clone(), ..eject_of(&old, ground.worker().await) };
    let task = eject(&ground, change).await.unwrap();
    assert_eq!((&task.step, &task.payload, task.payload_len), (&step, &payload, 3));
    assert_eq!(ground.get(old.id).await, task);
}

async fn an_ejection_leaves_alone_what_it_does_not_say(ground: Ground) {
    let old = ground.running(ground.worker().await).await;
    let save = Save { step: Some("two".into()), progress: Some("half".into()), ..ground.save_of(&old) };
    let _ = ground.save(save).await;
    let seen = ground.get(old.id).await;
    let task = eject(&ground, eject_of(&seen, ground.worker().await)).await.unwrap();
    assert_eq!((&task.step, &task.progress, &task.payload), (&seen.step, &seen.progress, &seen.payload));
}

async fn an_ejection_by_grant_is_not_escaped_by_saving(ground: Ground) {
    let old = ground.running(ground.worker().await).await;
    let _ = ground.save(Save { step: Some("on".into()), ..ground.save_of(&old) }).await;
    let by_version = eject_of(&old, ground.worker().await);
    assert!(eject(&ground, by_version.clone()).await.is_err());
    let by_grant = Eject { guard: Guard::Grant(old.grant), ..by_version };
    assert!(eject(&ground, by_grant).await.is_ok());
}

async fn a_parked_task_can_be_ejected_and_its_token_is_void(ground: Ground) {
    let old_worker = ground.worker().await;
    let parked = ground.parked(old_worker).await;
    let worker = ground.worker().await;
    let task = eject(&ground, eject_of(&parked, worker)).await.unwrap();
    assert!(task.due_at <= task.changed_at, "it waits no longer, whatever becomes of it");
    assert_eq!((task.status, task.worker), (Status::Running, Some(worker)));
    assert_eq!(ground.end(&parked, To::Error).await, Finished::Lost);
    assert!(ground.recalls(old_worker).await.is_empty(), "nobody ran it");
}

async fn a_task_that_nobody_holds_cannot_be_ejected(ground: Ground) {
    let id = ground.add(ground.task("mail")).await;
    let before = ground.get(id).await;
    let refused = eject(&ground, eject_of(&before, ground.worker().await)).await;
    assert!(matches!(refused, Err(Refusal::Status { status: Status::Ready, .. })), "{refused:?}");
    assert_eq!(ground.get(id).await, before);
}

// L-32.
async fn an_ended_task_cannot_be_ejected(ground: Ground) {
    let id = ground.add(ground.task("mail")).await;
    ground.act(id, Deed::Cancel).await.unwrap();
    let before = ground.get(id).await;
    assert!(eject(&ground, eject_of(&before, ground.worker().await)).await.is_err());
    assert_eq!(ground.get(id).await, before);
}

// L-04.
async fn an_unknown_task_cannot_be_ejected(ground: Ground) {
    let task = ground.running(ground.worker().await).await;
    let id = ground.id();
    let refused = eject(&ground, Eject { id, ..eject_of(&task, ground.worker().await) }).await;
    assert_eq!(refused, Err(Refusal::NoTask(id)));
}

async fn a_stale_ejection_is_refused_and_changes_nothing(ground: Ground) {
    let worker = ground.worker().await;
    let task = ground.running(worker).await;
    for guard in [Guard::Version(task.version.next()), Guard::Grant(task.grant.next())] {
        let refused = eject(&ground, Eject { guard, ..eject_of(&task, ground.worker().await) }).await;
        let (version, status) = (task.version.get(), Status::Running);
        assert_eq!(refused, Err(Refusal::Stale { id: task.id, version, status }));
    }
    assert_eq!(ground.get(task.id).await, task);
    assert!(ground.recalls(worker).await.is_empty());
}

async fn a_worker_may_eject_its_own_run(ground: Ground) {
    let worker = ground.worker().await;
    let old = ground.running(worker).await;
    let task = eject(&ground, eject_of(&old, worker)).await.unwrap();
    assert_eq!(ground.recalls(worker).await, [fence(&old)]);
    assert_eq!(ground.end(&old, To::Error).await, Finished::Lost);
    assert_ne!(ground.end(&task, To::Error).await, Finished::Lost);
}

async fn an_ejected_task_comes_without_a_large_payload(ground: Ground) {
    let old = ground.running(ground.worker().await).await;
    let payload = Payload::bytes(vec![4; PAYLOAD_INLINE_BYTES_MAX + 1]);
    let change = Eject { payload: Some(payload.clone()), ..eject_of(&old, ground.worker().await) };
    let task = eject(&ground, change).await.unwrap();
    assert_eq!((task.payload, task.payload_len), (None, payload.len()));
    assert_eq!(expect(ground.store.payload(task.id)).await, Some(payload));
}

async fn of_two_racing_ejections_by_one_grant_one_wins(ground: Ground) {
    let old = ground.running(ground.worker().await).await;
    let by_grant = |worker| Eject { guard: Guard::Grant(old.grant), ..eject_of(&old, worker) };
    let (one, other) = (by_grant(ground.worker().await), by_grant(ground.worker().await));
    let (one, other) = tokio::join!(eject(&ground, one), eject(&ground, other));
    assert!(one.is_ok() != other.is_ok(), "{one:?} {other:?}");
}
