//! Effects and the end of their run: both or neither.

use super::{Case, case};
use crate::ground::Ground;
use std::time::Duration;
use steadfast_core::seam::{Commit, Committed, Finished};
use steadfast_core::{
    Deed, Effects, Guard, Outcome, Policy, Refusal, Retention, Status, StoreError, Task, To, decide,
};

pub(super) fn cases() -> Vec<Case> {
    vec![
        case(effects_and_the_end_of_their_run_are_committed_together),
        case(effects_of_a_lost_grant_are_taken_back),
        case(effects_that_fail_leave_nothing_and_the_run_to_its_holder),
        case(effects_can_be_committed_and_the_task_tried_again),
        case(effects_are_committed_once),
        case(effects_of_another_store_are_refused),
        case(effects_within_effects_end_in_error),
    ]
}

async fn running(ground: &Ground) -> Task {
    ground.running(ground.worker().await).await
}

async fn commit(ground: &Ground, task: &Task, effects: Outcome) -> Result<Committed, StoreError> {
    let Outcome::Effects(effects) = effects else { panic!("{effects:?} are no effects") };
    let subject = task.clone();
    let rule = move |outcome| decide(&subject, &Policy::default(), outcome, None, 0);
    let bound = Duration::from_secs(1);
    let commit = Commit { fence: task.fence().unwrap(), effects, decide: Box::new(rule), bound };
    ground.store.commit(commit).await
}

/// What was accepted, how many rows there are, and where the task stands.
async fn check(
    ground: &Ground,
    task: &Task,
    says: Result<Outcome, String>,
    rows: usize,
    status: Status,
) -> Committed {
    let effects = ground.ledger.effects(says).await;
    let committed = commit(ground, task, effects).await.unwrap();
    assert_eq!(ground.ledger.rows().await, rows);
    assert_eq!(ground.get(task.id).await.status, status);
    committed
}

async fn effects_and_the_end_of_their_run_are_committed_together(ground: Ground) {
    let task = running(&ground).await;
    let committed = check(&ground, &task, Ok(Outcome::Done), 1, Status::Done).await;
    assert_eq!(committed, Committed::Accepted { status: Status::Done, due_at: ground.now() });
}

// M-17.
async fn effects_of_a_lost_grant_are_taken_back(ground: Ground) {
    let task = running(&ground).await;
    ground.act_guarded(task.id, Guard::Grant(task.grant), Deed::Pause).await.unwrap();
    assert_eq!(check(&ground, &task, Ok(Outcome::Done), 0, Status::Paused).await, Committed::Lost);
}

// M-17.
async fn effects_that_fail_leave_nothing_and_the_run_to_its_holder(ground: Ground) {
    let task = running(&ground).await;
    let committed = check(&ground, &task, Err("no money".into()), 0, Status::Running).await;
    assert!(matches!(committed, Committed::Failed(_)), "{committed:?}");
    assert_ne!(ground.end(&task, To::Done(Retention::History)).await, Finished::Lost);
}

// RT-03b.
// COMMIT_AND_RETRY of TwTasks.
async fn effects_can_be_committed_and_the_task_tried_again(ground: Ground) {
    let task = running(&ground).await;
    let committed = check(&ground, &task, Ok(Outcome::retry("half of it")), 1, Status::Waiting).await;
    assert!(matches!(committed, Committed::Accepted { status: Status::Waiting, .. }), "{committed:?}");
    assert_eq!(ground.get(task.id).await.failures, 1);
}

async fn effects_are_committed_once(ground: Ground) {
    let task = running(&ground).await;
    let _ = check(&ground, &task, Ok(Outcome::Done), 1, Status::Done).await;
    assert_eq!(check(&ground, &task, Ok(Outcome::Done), 1, Status::Done).await, Committed::Lost);
}

async fn effects_of_another_store_are_refused(ground: Ground) {
    let task = running(&ground).await;
    let refused = commit(&ground, &task, Outcome::Effects(Effects::new("paper", ()))).await;
    let foreign = |refusal: &Refusal| matches!(refusal, Refusal::ForeignEffects { made_for: "paper", .. });
    assert!(matches!(&refused, Err(StoreError::Refused(refusal)) if foreign(refusal)), "{refused:?}");
    assert_ne!(ground.end(&task, To::Done(Retention::History)).await, Finished::Lost);
}

async fn effects_within_effects_end_in_error(ground: Ground) {
    let task = running(&ground).await;
    let inner = Outcome::Effects(Effects::new("paper", ()));
    let committed = check(&ground, &task, Ok(inner), 1, Status::Error).await;
    assert!(matches!(committed, Committed::Accepted { status: Status::Error, .. }), "{committed:?}");
}
