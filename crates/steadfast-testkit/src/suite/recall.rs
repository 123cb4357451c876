//! Telling a worker that a run was taken from it.

use super::{Case, case};
use crate::ground::{Ground, expect, fence, to};
use steadfast_core::seam::{Cause, Eject, Finished};
use steadfast_core::{Deed, Guard, Retention, To, When};

pub(super) fn cases() -> Vec<Case> {
    vec![
        case(a_worker_hears_of_a_cancelled_run),
        case(a_worker_hears_of_a_paused_run),
        case(a_worker_hears_of_an_ejected_run),
        case(a_worker_hears_of_an_overdue_run),
        case(a_worker_hears_only_of_its_own_runs),
        case(a_worker_hears_again_until_it_dealt_with_it),
        case(a_worker_that_dealt_with_one_hears_of_the_others),
        case(a_worker_cannot_drop_the_recalls_of_another),
        case(a_run_that_its_holder_ended_is_not_recalled),
        case(a_task_without_a_run_is_not_recalled),
        case(a_refused_act_recalls_nothing),
        case(an_act_that_leaves_the_run_alone_recalls_nothing),
    ]
}

async fn a_worker_hears_of_a_cancelled_run(ground: Ground) {
    let worker = ground.worker().await;
    let task = ground.running(worker).await;
    let acted = ground.act(task.id, Deed::Cancel).await.unwrap();
    assert_eq!(acted.recalled, task.fence());
    assert_eq!(ground.recalls(worker).await, [fence(&task)]);
}

async fn a_worker_hears_of_a_paused_run(ground: Ground) {
    let worker = ground.worker().await;
    let task = ground.running(worker).await;
    let acted = ground.act(task.id, Deed::Pause).await.unwrap();
    assert_eq!(acted.recalled, task.fence());
    assert_eq!(ground.recalls(worker).await, [fence(&task)]);
}

async fn a_worker_hears_of_an_ejected_run(ground: Ground) {
    let (worker, other) = (ground.worker().await, ground.worker().await);
    let task = ground.running(worker).await;
    let eject = Eject {
        id: task.id,
        guard: Guard::Grant(task.grant),
        worker: other,
        deadline: Ground::DEADLINE,
        step: None,
        payload: None,
    };
    expect(ground.store.eject(eject)).await.unwrap();
    assert_eq!(ground.recalls(worker).await, [fence(&task)]);
    assert!(ground.recalls(other).await.is_empty());
}

async fn a_worker_hears_of_an_overdue_run(ground: Ground) {
    let worker = ground.worker().await;
    let task = ground.running(worker).await;
    ground.clock.pass(Ground::DEADLINE);
    let finished = ground.finish(fence(&task), Cause::Overdue, to(&task, To::Run(When::Now))).await;
    assert_ne!(finished, Finished::Lost);
    assert_eq!(ground.recalls(worker).await, [fence(&task)]);
}

async fn a_worker_hears_only_of_its_own_runs(ground: Ground) {
    let (worker, other) = (ground.worker().await, ground.worker().await);
    let (task, others) = (ground.running(worker).await, ground.running(other).await);
    ground.act(task.id, Deed::Cancel).await.unwrap();
    ground.act(others.id, Deed::Cancel).await.unwrap();
    assert_eq!(ground.recalls(worker).await, [fence(&task)]);
    assert_eq!(ground.recalls(other).await, [fence(&others)]);
}

async fn a_worker_hears_again_until_it_dealt_with_it(ground: Ground) {
    let worker = ground.worker().await;
    let task = ground.running(worker).await;
    ground.act(task.id, Deed::Cancel).await.unwrap();
    assert_eq!(ground.recalls(worker).await, [fence(&task)]);
    assert_eq!(ground.recalls(worker).await, [fence(&task)]);
    ground.renew(worker, vec![fence(&task)]).await;
    assert!(ground.recalls(worker).await.is_empty());
}

async fn a_worker_that_dealt_with_one_hears_of_the_others(ground: Ground) {
    let worker = ground.worker().await;
    let first = ground.running(worker).await;
    ground.act(first.id, Deed::Pause).await.unwrap();
    ground.act(first.id, Deed::Release).await.unwrap();
    let second = ground.grab_one(worker, "mail").await;
    ground.act(second.id, Deed::Pause).await.unwrap();
    let mut both = ground.recalls(worker).await;
    both.sort();
    assert_eq!(both, [fence(&first), fence(&second)]);
    ground.renew(worker, vec![fence(&first)]).await;
    assert_eq!(ground.recalls(worker).await, [fence(&second)]);
}

async fn a_worker_cannot_drop_the_recalls_of_another(ground: Ground) {
    let (worker, other) = (ground.worker().await, ground.worker().await);
    let task = ground.running(worker).await;
    ground.act(task.id, Deed::Cancel).await.unwrap();
    ground.renew(other, vec![fence(&task)]).await;
    assert_eq!(ground.recalls(worker).await, [fence(&task)]);
}

async fn a_run_that_its_holder_ended_is_not_recalled(ground: Ground) {
    let worker = ground.worker().await;
    for end in [To::Done(Retention::History), To::Error, To::Run(When::Now), To::Parked(When::Now)] {
        let task = ground.running_as(worker, ground.task("once")).await;
        let _ = ground.end(&task, end).await;
        let _ = ground.grab(ground.stranger(), "once", 9).await;
    }
    assert!(ground.recalls(worker).await.is_empty());
}

async fn a_task_without_a_run_is_not_recalled(ground: Ground) {
    let worker = ground.worker().await;
    let parked = ground.parked(worker).await;
    let ready = ground.add(ground.task("mail")).await;
    for id in [parked.id, ready] {
        assert_eq!(ground.act(id, Deed::Cancel).await.unwrap().recalled, None);
    }
    assert!(ground.recalls(worker).await.is_empty());
}

async fn a_refused_act_recalls_nothing(ground: Ground) {
    let worker = ground.worker().await;
    let task = ground.running(worker).await;
    let old = Guard::Version(steadfast_core::Version::default());
    assert!(ground.act_guarded(task.id, old, Deed::Cancel).await.is_err());
    assert!(ground.act(task.id, Deed::Release).await.is_err());
    assert!(ground.recalls(worker).await.is_empty());
}

async fn an_act_that_leaves_the_run_alone_recalls_nothing(ground: Ground) {
    let worker = ground.worker().await;
    let task = ground.running(worker).await;
    let acted = ground.act(task.id, Deed::Prioritise(steadfast_core::Priority::URGENT)).await.unwrap();
    assert_eq!(acted.recalled, None);
    assert!(ground.recalls(worker).await.is_empty());
    assert_ne!(ground.end(&task, To::Error).await, Finished::Lost);
}
