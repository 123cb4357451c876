//! Writing down where a run stands.

use super::{Case, case};
use crate::ground::{Ground, expect, fence, s, to};
use steadfast_core::seam::{Cause, Finished, Save, Saved};
use steadfast_core::{Change, Payload, Retention, Task, To, When};

pub(super) fn cases() -> Vec<Case> {
    vec![
        case(a_saved_step_is_kept_and_seen),
        case(a_saved_payload_is_kept_and_seen),
        case(a_large_payload_can_be_saved),
        case(progress_is_kept_without_a_new_version),
        case(a_deadline_moves_without_a_new_version),
        case(a_save_that_says_nothing_changes_nothing),
        case(progress_made_forgets_failures),
        case(a_save_keeps_the_grant),
        case(saves_of_several_runs_share_a_batch),
        case(two_saves_of_one_run_share_a_batch),
    ]
}

/// Saves and compares the whole row with what it should be.
async fn check_save(ground: &Ground, save: Save, wanted: Task) {
    assert_eq!(ground.save(save).await, Saved::Kept(wanted.version));
    assert_eq!(ground.get(wanted.id).await, wanted);
}

// L-08.
async fn a_saved_step_is_kept_and_seen(ground: Ground) {
    let task = ground.running(ground.worker().await).await;
    ground.pass_s(1);
    let mut wanted = Task { step: Some("zwei".into()), ..task.clone() };
    wanted.touch(ground.now());
    check_save(&ground, Save { step: Some("zwei".into()), ..ground.save_of(&task) }, wanted).await;
}

// L-06.
async fn a_saved_payload_is_kept_and_seen(ground: Ground) {
    let task = ground.running(ground.worker().await).await;
    ground.pass_s(1);
    let payload = Some(Payload::json("mail", &"new").unwrap().version(3));
    let mut wanted = Task { payload: payload.clone(), payload_len: 5, ..task.clone() };
    wanted.touch(ground.now());
    check_save(&ground, Save { payload, ..ground.save_of(&task) }, wanted).await;
}

async fn a_large_payload_can_be_saved(ground: Ground) {
    let task = ground.running(ground.worker().await).await;
    for len in [100_000, 0] {
        let payload = Payload::bytes(vec![9; len]);
        let save = Save { payload: Some(payload.clone()), ..ground.save_of(&task) };
        assert_ne!(ground.save(save).await, Saved::Lost);
        assert_eq!(expect(ground.store.payload(task.id)).await, Some(payload));
        assert_eq!(ground.get(task.id).await.payload_len, len);
    }
}

async fn progress_is_kept_without_a_new_version(ground: Ground) {
    let task = ground.running(ground.worker().await).await;
    ground.pass_s(1);
    let progress = Some("half\n🦀".to_owned());
    let wanted = Task { progress: progress.clone(), ..task.clone() };
    check_save(&ground, Save { progress, ..ground.save_of(&task) }, wanted).await;
}

// L-05.
async fn a_deadline_moves_without_a_new_version(ground: Ground) {
    let task = ground.running(ground.worker().await).await;
    ground.pass_s(100);
    for seconds in [9000, 10] {
        let wanted = Task { deadline_at: Some(ground.now().after(s(seconds))), ..task.clone() };
        check_save(&ground, Save { deadline: Some(s(seconds)), ..ground.save_of(&task) }, wanted).await;
    }
}

async fn a_save_that_says_nothing_changes_nothing(ground: Ground) {
    let task = ground.running(ground.worker().await).await;
    ground.pass_s(1);
    check_save(&ground, ground.save_of(&task), task.clone()).await;
}

// DA-07.
async fn progress_made_forgets_failures(ground: Ground) {
    let worker = ground.worker().await;
    let task = ground.running(worker).await;
    let change = Change { failures: 3, ..to(&task, To::Run(When::Now)) };
    let _ = ground.finish(fence(&task), Cause::Holder, change).await;
    let task = ground.grab_one(worker, "mail").await;
    assert_eq!(task.failures, 3);
    check_save(&ground, ground.save_of(&task), task.clone()).await;
    let wanted = Task { failures: 0, ..task.clone() };
    check_save(&ground, Save { progressed: true, ..ground.save_of(&task) }, wanted).await;
}

async fn a_save_keeps_the_grant(ground: Ground) {
    let task = ground.running(ground.worker().await).await;
    for step in ["one", "two", "three"] {
        let _ = ground.save(Save { step: Some(step.into()), ..ground.save_of(&task) }).await;
    }
    assert_eq!(ground.get(task.id).await.fence(), task.fence());
    assert_ne!(ground.end(&task, To::Done(Retention::History)).await, Finished::Lost);
    assert_eq!(ground.get(task.id).await.step.as_deref(), Some("three"));
}

async fn saves_of_several_runs_share_a_batch(ground: Ground) {
    let worker = ground.worker().await;
    let tasks = [ground.running(worker).await, ground.running(worker).await, ground.running(worker).await];
    let step = |task: &Task| Save { step: Some(task.id.to_string()), ..ground.save_of(task) };
    let saved = expect(ground.store.save(tasks.iter().rev().map(step).collect())).await;
    assert_eq!(saved.len(), 3);
    for task in tasks {
        assert_eq!(ground.get(task.id).await.step, Some(task.id.to_string()));
    }
}

async fn two_saves_of_one_run_share_a_batch(ground: Ground) {
    let task = ground.running(ground.worker().await).await;
    let step = |step: &str| Save { step: Some(step.into()), ..ground.save_of(&task) };
    let saved = expect(ground.store.save(vec![step("one"), step("two")])).await;
    let next = task.version.next();
    assert_eq!(saved, [Saved::Kept(next), Saved::Kept(next.next())]);
    assert_eq!(ground.get(task.id).await.step.as_deref(), Some("two"));
}
