//! Keys: a repeat is harmless, while the task lives and for a while after.

use super::{Case, case};
use crate::ground::{Ground, expect, in_s, s};
use steadfast_core::seam::{Clean, Finished};
use steadfast_core::{Deed, Key, NewTask, Refusal, Retention, Status, Task, TaskId, To, When};

pub(super) fn cases() -> Vec<Case> {
    vec![
        case(a_repeat_returns_the_first_task),
        case(a_repeat_changes_nothing_of_the_first_task),
        case(a_repeat_in_the_same_batch_returns_the_first_task),
        case(an_own_id_and_a_key_of_the_same_name_do_not_meet),
        case(a_key_names_its_task),
        case(a_key_outlives_its_task_for_its_window),
        case(a_key_without_a_window_ends_with_its_task),
        case(a_key_is_kept_even_if_nothing_else_is_kept_of_the_task),
        case(a_key_stays_while_its_task_is_in_error),
        case(a_key_stays_while_its_task_is_parked),
        case(a_key_stays_while_its_task_waits_for_another_try),
        case(a_cancelled_task_lets_its_key_go_after_the_window),
        case(running_a_task_again_keeps_its_key),
        case(a_task_whose_key_was_taken_cannot_run_again),
        case(a_task_whose_key_was_cleaned_takes_it_back_when_it_runs_again),
        case(a_task_whose_expired_key_nobody_took_takes_it_back),
        case(of_two_racing_adds_with_one_key_one_is_fresh),
    ]
}

fn keyed(ground: &Ground) -> NewTask {
    NewTask { key: Some(Key::key("order 7")), key_window: s(60), ..ground.task("mail") }
}

/// Adds one more task with the same key; says who has it and whether it is new.
async fn repeat(ground: &Ground) -> (TaskId, bool) {
    let added = ground.add_all(vec![keyed(ground)]).await.added[0];
    (added.id, added.fresh)
}

async fn running_keyed(ground: &Ground) -> Task {
    ground.running_as(ground.stranger(), keyed(ground)).await
}

async fn a_repeat_returns_the_first_task(ground: Ground) {
    let (first, fresh) = repeat(&ground).await;
    assert!(fresh);
    assert_eq!(repeat(&ground).await, (first, false));
    assert_eq!(ground.grab(ground.stranger(), "mail", 9).await.len(), 1);
}

// DA-01.
async fn a_repeat_changes_nothing_of_the_first_task(ground: Ground) {
    let first = ground.add(keyed(&ground)).await;
    let before = ground.get(first).await;
    ground.pass_s(1);
    ground.add(NewTask { step: Some("other".into()), when: in_s(9), ..keyed(&ground) }).await;
    assert_eq!(ground.get(first).await, before);
}

async fn a_repeat_in_the_same_batch_returns_the_first_task(ground: Ground) {
    let added = ground.add_all(vec![keyed(&ground), ground.task("mail"), keyed(&ground)]).await.added;
    assert_eq!(added.iter().map(|added| added.fresh).collect::<Vec<_>>(), [true, true, false]);
    assert_eq!(added[0].id, added[2].id);
}

async fn an_own_id_and_a_key_of_the_same_name_do_not_meet(ground: Ground) {
    let by_key = ground.add(keyed(&ground)).await;
    let by_id = ground.add(NewTask { key: Some(Key::id("order 7")), ..ground.task("mail") }).await;
    assert_ne!(by_key, by_id);
    assert_eq!(expect(ground.store.look_up(Key::key("order 7"))).await, Some(by_key));
    assert_eq!(expect(ground.store.look_up(Key::id("order 7"))).await, Some(by_id));
}

async fn a_key_names_its_task(ground: Ground) {
    assert_eq!(expect(ground.store.look_up(Key::key("order 7"))).await, None);
    let id = ground.add(keyed(&ground)).await;
    assert_eq!(expect(ground.store.look_up(Key::key("order 7"))).await, Some(id));
}

async fn a_key_outlives_its_task_for_its_window(ground: Ground) {
    let task = running_keyed(&ground).await;
    ground.pass_s(600);
    let _ = ground.end(&task, To::Done(Retention::History)).await;
    ground.pass_s(59);
    assert_eq!(repeat(&ground).await, (task.id, false));
    ground.pass_s(2);
    assert_eq!(expect(ground.store.look_up(Key::key("order 7"))).await, None);
    let (second, fresh) = repeat(&ground).await;
    assert!(fresh && second != task.id);
    assert_eq!(expect(ground.store.look_up(Key::key("order 7"))).await, Some(second));
}

async fn a_key_without_a_window_ends_with_its_task(ground: Ground) {
    let new = NewTask { key_window: s(0), ..keyed(&ground) };
    let task = ground.running_as(ground.stranger(), new).await;
    let _ = ground.end(&task, To::Done(Retention::History)).await;
    assert!(repeat(&ground).await.1);
}

async fn a_key_is_kept_even_if_nothing_else_is_kept_of_the_task(ground: Ground) {
    let task = running_keyed(&ground).await;
    let _ = ground.end(&task, To::Done(Retention::Delete)).await;
    assert_eq!(ground.find(task.id).await, None);
    assert_eq!(repeat(&ground).await, (task.id, false));
}

/// Sends a keyed task somewhere; long after, its key must still be its own.
async fn check_key_stays(ground: &Ground, to: To) {
    let task = running_keyed(ground).await;
    assert_ne!(ground.end(&task, to).await, Finished::Lost);
    ground.pass_s(100_000);
    assert_eq!(repeat(ground).await, (task.id, false));
}

async fn a_key_stays_while_its_task_is_in_error(ground: Ground) {
    check_key_stays(&ground, To::Error).await;
}

async fn a_key_stays_while_its_task_is_parked(ground: Ground) {
    check_key_stays(&ground, To::Parked(in_s(60))).await;
}

async fn a_key_stays_while_its_task_waits_for_another_try(ground: Ground) {
    check_key_stays(&ground, To::Run(in_s(60))).await;
}

async fn a_cancelled_task_lets_its_key_go_after_the_window(ground: Ground) {
    let id = ground.add(keyed(&ground)).await;
    ground.act(id, Deed::Cancel).await.unwrap();
    assert_eq!(repeat(&ground).await, (id, false));
    ground.pass_s(61);
    assert!(repeat(&ground).await.1);
}

async fn running_a_task_again_keeps_its_key(ground: Ground) {
    let task = running_keyed(&ground).await;
    let _ = ground.end(&task, To::Done(Retention::History)).await;
    ground.act(task.id, Deed::Again(When::Now)).await.unwrap();
    ground.pass_s(100_000);
    assert_eq!(repeat(&ground).await, (task.id, false));
}

async fn a_task_whose_key_was_taken_cannot_run_again(ground: Ground) {
    let task = running_keyed(&ground).await;
    let _ = ground.end(&task, To::Done(Retention::History)).await;
    ground.pass_s(61);
    let (holder, _) = repeat(&ground).await;
    let before = ground.get(task.id).await;
    let refused = ground.act(task.id, Deed::Again(When::Now)).await;
    assert_eq!(refused, Err(Refusal::KeyTaken { id: task.id, holder }));
    assert_eq!(ground.get(task.id).await, before);
    assert_eq!(repeat(&ground).await, (holder, false));
}

async fn a_task_whose_key_was_cleaned_takes_it_back_when_it_runs_again(ground: Ground) {
    let task = running_keyed(&ground).await;
    let _ = ground.end(&task, To::Done(Retention::History)).await;
    ground.pass_s(61);
    let clean = Clean { history: s(1_000), receipts: s(1_000), workers: s(1_000), n_max: 10 };
    assert_eq!(expect(ground.store.clean(clean)).await.keys, 1);
    ground.act(task.id, Deed::Again(When::Now)).await.unwrap();
    assert_eq!(repeat(&ground).await, (task.id, false));
}

async fn a_task_whose_expired_key_nobody_took_takes_it_back(ground: Ground) {
    let task = running_keyed(&ground).await;
    let _ = ground.end(&task, To::Done(Retention::History)).await;
    ground.pass_s(61);
    let acted = ground.act(task.id, Deed::Again(When::Now)).await.unwrap();
    assert_eq!(acted.status, Status::Ready);
    assert_eq!(repeat(&ground).await, (task.id, false));
}

// DA-02.
async fn of_two_racing_adds_with_one_key_one_is_fresh(ground: Ground) {
    let (one, other) = tokio::join!(repeat(&ground), repeat(&ground));
    assert_eq!(one.0, other.0);
    assert!(one.1 != other.1);
}
