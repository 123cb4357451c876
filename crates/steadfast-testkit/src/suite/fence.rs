//! Only the valid grant may write, and only once.

use super::{Case, case};
use crate::ground::{Ground, demand, expect, fence, in_s, s, to};
use steadfast_core::seam::{Cause, Finish, Finished, Save, Saved};
use steadfast_core::{Bucket, Deed, Fence, Grant, Payload, Retention, Status, Task, To, When};

pub(super) fn cases() -> Vec<Case> {
    vec![
        case(a_run_is_finished_once),
        case(a_finish_with_an_old_grant_is_lost),
        case(a_finish_with_a_grant_not_yet_given_is_lost),
        case(a_finish_by_another_worker_with_the_same_grant_is_lost),
        case(a_finish_of_a_task_that_nobody_holds_is_lost),
        case(a_finish_of_an_unknown_task_is_lost),
        case(a_finish_after_a_cancel_is_lost),
        case(a_finish_after_a_pause_is_lost),
        case(a_late_finish_after_the_task_was_given_to_another_is_lost),
        case(a_batch_with_one_lost_finish_keeps_the_others),
        case(a_batch_that_finishes_one_run_twice_finishes_it_once),
        case(a_save_with_a_wrong_fence_is_lost),
        case(a_save_after_the_end_is_lost),
        case(a_token_finishes_a_parked_task),
        case(a_token_works_once),
        case(a_park_after_the_tokens_finish_is_lost),
        case(a_dead_worker_that_was_not_reaped_may_still_finish),
        case(of_two_racing_finishes_one_is_accepted),
    ]
}

const DONE: To = To::Done(Retention::History);

/// A finish with this fence must be lost and change nothing, whatever it wants.
async fn check_lost(ground: &Ground, task: &Task, fence: Fence) {
    let before = ground.find(fence.task).await;
    for cause in [Cause::Holder, Cause::Dead, Cause::Overdue] {
        for want in [DONE, To::Done(Retention::Delete), To::Error, To::Run(When::Now), To::Parked(in_s(9))] {
            assert_eq!(ground.finish(fence, cause, to(task, want)).await, Finished::Lost);
        }
    }
    let save = Save {
        fence,
        step: Some("stolen".into()),
        payload: Some(Payload::bytes(*b"stolen")),
        progress: Some("stolen".into()),
        deadline: Some(s(1)),
        progressed: true,
    };
    assert_eq!(ground.save(save).await, Saved::Lost);
    assert_eq!(ground.find(fence.task).await, before);
}

fn other_grant(task: &Task, by: i64) -> Fence {
    Fence { grant: Grant::from_i64(task.grant.get() + by), ..fence(task) }
}

async fn a_run_is_finished_once(ground: Ground) {
    let task = ground.running(ground.worker().await).await;
    let wanted = Finished::Accepted { status: Status::Done, due_at: ground.now() };
    assert_eq!(ground.end(&task, DONE).await, wanted);
    ground.pass_s(1);
    check_lost(&ground, &task, fence(&task)).await;
}

async fn a_finish_with_an_old_grant_is_lost(ground: Ground) {
    let worker = ground.worker().await;
    let old = ground.running(worker).await;
    let _ = ground.end(&old, To::Run(When::Now)).await;
    let task = ground.grab_one(worker, "mail").await;
    check_lost(&ground, &old, fence(&old)).await;
    assert_eq!(ground.get(task.id).await, task);
}

async fn a_finish_with_a_grant_not_yet_given_is_lost(ground: Ground) {
    let task = ground.running(ground.worker().await).await;
    check_lost(&ground, &task, other_grant(&task, 1)).await;
}

async fn a_finish_by_another_worker_with_the_same_grant_is_lost(ground: Ground) {
    let task = ground.running(ground.worker().await).await;
    let other = ground.worker().await;
    check_lost(&ground, &task, Fence { worker: other, ..fence(&task) }).await;
    assert_ne!(ground.end(&task, DONE).await, Finished::Lost);
}

async fn a_finish_of_a_task_that_nobody_holds_is_lost(ground: Ground) {
    let task = ground.running(ground.worker().await).await;
    let _ = ground.end(&task, To::Run(When::Now)).await;
    check_lost(&ground, &task, fence(&task)).await;
    assert_eq!(ground.status(task.id).await, Status::Ready);
}

// L-11.
async fn a_finish_of_an_unknown_task_is_lost(ground: Ground) {
    let task = ground.running(ground.worker().await).await;
    check_lost(&ground, &task, Fence { task: ground.id(), ..fence(&task) }).await;
}

async fn a_finish_after_a_cancel_is_lost(ground: Ground) {
    let task = ground.running(ground.worker().await).await;
    ground.act(task.id, Deed::Cancel).await.unwrap();
    check_lost(&ground, &task, fence(&task)).await;
    assert_eq!(ground.status(task.id).await, Status::Cancelled);
}

async fn a_finish_after_a_pause_is_lost(ground: Ground) {
    let task = ground.running(ground.worker().await).await;
    ground.act(task.id, Deed::Pause).await.unwrap();
    check_lost(&ground, &task, fence(&task)).await;
    assert_eq!(ground.status(task.id).await, Status::Paused);
}

// L-20, L-21.
async fn a_late_finish_after_the_task_was_given_to_another_is_lost(ground: Ground) {
    let late = ground.running(ground.stranger()).await;
    let taken = ground.finish(fence(&late), Cause::Dead, to(&late, To::Run(When::Now))).await;
    assert_ne!(taken, Finished::Lost);
    let task = ground.grab_one(ground.worker().await, "mail").await;
    check_lost(&ground, &late, fence(&late)).await;
    assert_ne!(ground.end(&task, DONE).await, Finished::Lost);
}

async fn a_batch_with_one_lost_finish_keeps_the_others(ground: Ground) {
    let worker = ground.worker().await;
    ground.add_n("mail", 5).await;
    let tasks = ground.grab_demands(worker, &Bucket::default(), vec![demand("mail", 5)]).await;
    let batch = tasks.iter().enumerate().map(|(n, task)| {
        let fence = if n == 2 { other_grant(task, 1) } else { fence(task) };
        Finish { fence, cause: Cause::Holder, change: to(task, DONE) }
    });
    let finished = ground.finish_all(batch.collect()).await;
    let lost: Vec<bool> = finished.iter().map(|finished| *finished == Finished::Lost).collect();
    assert_eq!(lost, [false, false, true, false, false]);
    assert_eq!(ground.get(tasks[2].id).await, tasks[2]);
    assert_eq!(ground.status(tasks[4].id).await, Status::Done);
}

async fn a_batch_that_finishes_one_run_twice_finishes_it_once(ground: Ground) {
    let task = ground.running(ground.worker().await).await;
    let finish = Finish { fence: fence(&task), cause: Cause::Holder, change: to(&task, To::Run(in_s(5))) };
    let finished = ground.finish_all(vec![finish.clone(), finish]).await;
    assert_ne!(finished[0], Finished::Lost);
    assert_eq!(finished[1], Finished::Lost);
    assert_eq!(ground.get(task.id).await.version, task.version.next());
}

async fn a_save_with_a_wrong_fence_is_lost(ground: Ground) {
    let worker = ground.worker().await;
    let (task, good) = (ground.running(worker).await, ground.running(worker).await);
    let bad = Save { fence: other_grant(&task, 1), step: Some("b".into()), ..ground.save_of(&task) };
    let save = Save { step: Some("b".into()), ..ground.save_of(&good) };
    let saved = expect(ground.store.save(vec![bad, save])).await;
    assert_eq!(saved, [Saved::Lost, Saved::Kept(good.version.next())]);
    assert_eq!(ground.get(task.id).await, task);
}

async fn a_save_after_the_end_is_lost(ground: Ground) {
    let task = ground.running(ground.worker().await).await;
    let _ = ground.end(&task, DONE).await;
    let before = ground.get(task.id).await;
    let save = Save { step: Some("late".into()), ..ground.save_of(&task) };
    assert_eq!(ground.save(save).await, Saved::Lost);
    assert_eq!(ground.get(task.id).await, before);
}

async fn a_token_finishes_a_parked_task(ground: Ground) {
    let parked = ground.parked(ground.worker().await).await;
    let wanted = Finished::Accepted { status: Status::Done, due_at: ground.now() };
    assert_eq!(ground.end(&parked, DONE).await, wanted);
    assert_eq!(ground.status(parked.id).await, Status::Done);
}

async fn a_token_works_once(ground: Ground) {
    let parked = ground.parked(ground.worker().await).await;
    assert_ne!(ground.end(&parked, To::Run(When::Now)).await, Finished::Lost);
    check_lost(&ground, &parked, fence(&parked)).await;
}

async fn a_park_after_the_tokens_finish_is_lost(ground: Ground) {
    let task = ground.running(ground.worker().await).await;
    assert_ne!(ground.end(&task, DONE).await, Finished::Lost);
    assert_eq!(ground.end(&task, To::Parked(in_s(60))).await, Finished::Lost);
    assert_eq!(ground.status(task.id).await, Status::Done);
}

async fn a_dead_worker_that_was_not_reaped_may_still_finish(ground: Ground) {
    let worker = ground.worker().await;
    let task = ground.running(worker).await;
    expect(ground.store.retire(worker)).await;
    assert_ne!(ground.end(&task, DONE).await, Finished::Lost);
}

async fn of_two_racing_finishes_one_is_accepted(ground: Ground) {
    let task = ground.running(ground.worker().await).await;
    let (one, other) = tokio::join!(ground.end(&task, DONE), ground.end(&task, To::Error));
    assert!((one == Finished::Lost) != (other == Finished::Lost), "{one:?} {other:?}");
}
