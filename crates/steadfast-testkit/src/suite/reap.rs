//! Finding runs without a holder, and taking them: a condition, not an event.

use super::{Case, case};
use crate::ground::{Ground, expect, fence, ids, in_s, s, to};
use steadfast_core::seam::{Add, Birth, Cause, Finished, Stray};
use steadfast_core::{Policy, Retention, Status, Task, TaskId, To, When, lost, overdue};

pub(super) fn cases() -> Vec<Case> {
    vec![
        case(a_worker_without_a_lease_marks_nobody),
        case(the_runs_of_a_live_worker_are_no_strays),
        case(the_runs_of_a_dead_worker_are_strays),
        case(the_runs_of_a_retired_worker_are_strays),
        case(a_run_whose_worker_has_no_row_is_a_stray),
        case(a_birth_after_its_workers_death_is_a_stray),
        case(a_run_past_its_deadline_is_a_stray),
        case(a_parked_task_past_its_time_is_a_stray),
        case(a_parked_task_of_a_dead_worker_is_no_stray),
        case(strays_come_without_payload_and_with_their_fence),
        case(strays_come_in_bounded_numbers),
        case(a_reaped_run_can_be_grabbed_again),
        case(a_reap_of_a_live_worker_is_lost),
        case(a_reap_of_a_run_that_was_parked_meanwhile_is_lost),
        case(a_second_reap_is_lost),
        case(an_overdue_finish_before_the_deadline_is_lost),
        case(an_overdue_finish_after_an_extension_is_lost),
        case(an_overdue_finish_of_a_parked_task_before_its_time_is_lost),
        case(an_overdue_parked_task_loses_its_token),
        case(a_reap_writes_no_recall),
        case(of_two_racing_reapers_one_wins),
    ]
}

async fn strays(ground: &Ground) -> Vec<(TaskId, Cause)> {
    let mut strays: Vec<_> =
        ground.strays(100).await.into_iter().map(|stray| (stray.task.id, stray.cause)).collect();
    strays.sort();
    strays
}

/// A run whose worker was declared dead.
async fn orphan(ground: &Ground) -> Task {
    let worker = ground.worker().await;
    let task = ground.running(worker).await;
    expect(ground.store.retire(worker)).await;
    task
}

async fn reap(ground: &Ground, task: &Task) -> Finished {
    ground.finish(fence(task), Cause::Dead, lost(task, &Policy::default())).await
}

async fn time_out(ground: &Ground, task: &Task) -> Finished {
    ground.finish(fence(task), Cause::Overdue, overdue(task, &Policy::default(), 0)).await
}

async fn a_worker_without_a_lease_marks_nobody(ground: Ground) {
    let (judge, other) = (ground.worker().await, ground.worker().await);
    ground.running(other).await;
    ground.pass_s(20);
    for by in [judge, ground.stranger()] {
        assert!(expect(ground.store.strays(by, 9)).await.is_empty(), "all leases ended at once");
    }
    assert!(expect(ground.store.workers()).await.iter().all(|worker| !worker.dead));
}

// L-02, M-19.
async fn the_runs_of_a_live_worker_are_no_strays(ground: Ground) {
    ground.running(ground.worker().await).await;
    assert!(strays(&ground).await.is_empty());
}

// L-02.
async fn the_runs_of_a_dead_worker_are_strays(ground: Ground) {
    let worker = ground.worker().await;
    let tasks = [ground.running(worker).await.id, ground.running(worker).await.id];
    ground.pass_s(10);
    ground.running(ground.worker().await).await;
    ground.pass_s(6);
    assert_eq!(strays(&ground).await, tasks.map(|id| (id, Cause::Dead)));
}

async fn the_runs_of_a_retired_worker_are_strays(ground: Ground) {
    let task = orphan(&ground).await;
    assert_eq!(strays(&ground).await, [(task.id, Cause::Dead)]);
}

// DA-12.
async fn a_run_whose_worker_has_no_row_is_a_stray(ground: Ground) {
    let task = ground.running(ground.stranger()).await;
    assert_eq!(strays(&ground).await, [(task.id, Cause::Dead)]);
}

async fn a_birth_after_its_workers_death_is_a_stray(ground: Ground) {
    let worker = ground.worker().await;
    expect(ground.store.retire(worker)).await;
    let births = Some(Birth { worker, tasks: vec![(ground.task("mail"), s(60))] });
    let born = expect(ground.store.add(Add { births, ..Add::default() })).await.born.remove(0);
    assert_eq!(strays(&ground).await, [(born.id, Cause::Dead)]);
}

// DA-18.
async fn a_run_past_its_deadline_is_a_stray(ground: Ground) {
    let worker = ground.worker().await;
    let task = ground.running(worker).await;
    ground.pass_s(3599);
    ground.renew(worker, Vec::new()).await;
    assert!(strays(&ground).await.is_empty());
    ground.pass_s(1);
    assert_eq!(strays(&ground).await, [(task.id, Cause::Overdue)]);
}

// DA-16.
async fn a_parked_task_past_its_time_is_a_stray(ground: Ground) {
    let task = ground.parked(ground.worker().await).await;
    ground.pass_s(3599);
    assert!(strays(&ground).await.is_empty());
    ground.pass_s(1);
    assert_eq!(strays(&ground).await, [(task.id, Cause::Overdue)]);
}

async fn a_parked_task_of_a_dead_worker_is_no_stray(ground: Ground) {
    let worker = ground.worker().await;
    let parked = ground.parked(worker).await;
    expect(ground.store.retire(worker)).await;
    assert!(strays(&ground).await.is_empty());
    assert_ne!(ground.end(&parked, To::Done(Retention::History)).await, Finished::Lost);
}

async fn strays_come_without_payload_and_with_their_fence(ground: Ground) {
    let task = orphan(&ground).await;
    let Stray { task: stray, cause } = ground.strays(1).await.remove(0);
    assert_eq!((stray.fence(), cause), (task.fence(), Cause::Dead));
    assert_eq!(stray, Task { payload: None, ..task });
}

// DA-10.
async fn strays_come_in_bounded_numbers(ground: Ground) {
    let worker = ground.stranger();
    ground.add_n("mail", 5).await;
    let tasks = ground.grab(worker, "mail", 5).await;
    ground.running(ground.stranger()).await;
    assert_eq!(ground.strays(2).await.len(), 2);
    assert_eq!(ground.strays(0).await.len(), 0);
    let mut seen = Vec::new();
    for _ in 0..3 {
        for stray in ground.strays(2).await {
            assert_ne!(reap(&ground, &stray.task).await, Finished::Lost);
            seen.push(stray.task);
        }
    }
    assert_eq!(seen.len(), tasks.len() + 1);
    assert_eq!(ids(&seen)[..5], ids(&tasks));
    assert!(strays(&ground).await.is_empty());
}

// DA-11, DA-13, U-05, M-19.
async fn a_reaped_run_can_be_grabbed_again(ground: Ground) {
    let task = orphan(&ground).await;
    let wanted = Finished::Accepted { status: Status::Ready, due_at: ground.now() };
    assert_eq!(reap(&ground, &task).await, wanted);
    let again = ground.grab_one(ground.worker().await, "mail").await;
    assert_eq!((again.id, again.lost, again.failures), (task.id, 1, 0));
    assert_eq!(again.errors.last(), Some("worker lost"));
    assert!(again.grant > task.grant);
}

async fn a_reap_of_a_live_worker_is_lost(ground: Ground) {
    let worker = ground.worker().await;
    let task = ground.running(worker).await;
    ground.pass_s(1000);
    assert_eq!(reap(&ground, &task).await, Finished::Lost);
    assert_eq!(ground.get(task.id).await, task);
}

async fn a_reap_of_a_run_that_was_parked_meanwhile_is_lost(ground: Ground) {
    let task = orphan(&ground).await;
    assert_eq!(strays(&ground).await, [(task.id, Cause::Dead)]);
    assert_ne!(ground.end(&task, To::Parked(in_s(60))).await, Finished::Lost);
    assert_eq!(reap(&ground, &task).await, Finished::Lost);
    assert_eq!(ground.status(task.id).await, Status::Parked);
}

async fn a_second_reap_is_lost(ground: Ground) {
    let task = orphan(&ground).await;
    let _ = reap(&ground, &task).await;
    let before = ground.get(task.id).await;
    assert_eq!(reap(&ground, &task).await, Finished::Lost);
    assert_eq!(ground.get(task.id).await, before);
}

async fn an_overdue_finish_before_the_deadline_is_lost(ground: Ground) {
    let worker = ground.worker().await;
    let task = ground.running(worker).await;
    ground.pass_s(3599);
    assert_eq!(time_out(&ground, &task).await, Finished::Lost);
    assert_eq!(ground.get(task.id).await, task);
    assert!(ground.recalls(worker).await.is_empty());
}

async fn an_overdue_finish_after_an_extension_is_lost(ground: Ground) {
    let worker = ground.worker().await;
    let task = ground.running(worker).await;
    ground.clock.pass(Ground::DEADLINE);
    ground.renew(worker, Vec::new()).await;
    assert_eq!(strays(&ground).await, [(task.id, Cause::Overdue)]);
    let mut save = ground.save_of(&task);
    save.deadline = Some(s(60));
    let _ = ground.save(save).await;
    assert_eq!(time_out(&ground, &task).await, Finished::Lost);
    assert!(strays(&ground).await.is_empty());
    ground.pass_s(60);
    assert_ne!(time_out(&ground, &task).await, Finished::Lost);
}

async fn an_overdue_finish_of_a_parked_task_before_its_time_is_lost(ground: Ground) {
    let task = ground.parked(ground.worker().await).await;
    ground.pass_s(3599);
    assert_eq!(time_out(&ground, &task).await, Finished::Lost);
    assert_eq!(ground.get(task.id).await, task);
}

async fn an_overdue_parked_task_loses_its_token(ground: Ground) {
    let worker = ground.worker().await;
    let task = ground.parked(worker).await;
    ground.pass_s(3600);
    assert_ne!(time_out(&ground, &task).await, Finished::Lost);
    let now = ground.get(task.id).await;
    assert_eq!((now.worker, now.failures), (None, 1));
    assert_eq!(now.errors.last(), Some("not finished in time"));
    assert_eq!(ground.end(&task, To::Done(Retention::History)).await, Finished::Lost);
    assert!(ground.recalls(worker).await.is_empty(), "no run, no recall");
}

async fn a_reap_writes_no_recall(ground: Ground) {
    let worker = ground.stranger();
    let task = ground.running(worker).await;
    assert_ne!(reap(&ground, &task).await, Finished::Lost);
    ground.register(worker, 1).await;
    assert!(ground.recalls(worker).await.is_empty());
}

async fn of_two_racing_reapers_one_wins(ground: Ground) {
    let task = orphan(&ground).await;
    let (one, other) = tokio::join!(reap(&ground, &task), reap(&ground, &task));
    assert!((one == Finished::Lost) != (other == Finished::Lost), "{one:?} {other:?}");
    let again = to(&task, To::Run(When::Now));
    assert_eq!(ground.finish(fence(&task), Cause::Dead, again).await, Finished::Lost);
    assert_eq!(ground.get(task.id).await.lost, 1);
}
