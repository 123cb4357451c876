//! What people do to tasks.

use super::{Case, case};
use crate::ground::{Ground, expect, fence, in_s, s, to};
use steadfast_core::seam::{Cause, Finished, Save};
use steadfast_core::{
    Act, Change, Deed, Errors, Guard, NewTask, Payload, Priority, Refusal, Retention, Status, Task, TaskId,
    To, Version, When,
};

pub(super) fn cases() -> Vec<Case> {
    vec![
        case(every_act_does_to_every_status_what_its_rule_says),
        case(an_act_on_an_older_version_is_refused),
        case(an_act_on_an_unknown_task_is_refused),
        case(a_task_that_saves_often_cannot_escape_a_cancel),
        case(a_task_that_saves_often_cannot_escape_a_pause),
        case(the_grant_guards_only_acts_that_stop_a_run),
        case(the_grant_of_an_earlier_run_is_refused),
        case(the_grant_of_a_run_that_ended_is_refused),
        case(a_batch_with_one_refused_act_keeps_the_others),
        case(two_acts_on_one_version_meet_once),
        case(a_paused_task_is_not_grabbed_until_it_is_released),
        case(a_task_paused_before_its_time_waits_again_when_released),
        case(a_rescheduled_task_runs_at_its_new_time),
        case(a_reprioritised_task_is_found_at_its_new_priority),
        case(a_running_tasks_new_priority_counts_at_its_next_run),
        case(a_rewritten_task_goes_on_with_what_was_written),
        case(running_a_task_again_forgets_its_failures),
        case(of_two_racing_acts_one_is_refused),
    ]
}

/// A task of each status.
async fn one_of_each(ground: &Ground) -> Vec<TaskId> {
    let worker = ground.worker().await;
    let waiting = ground.add(NewTask { when: in_s(60), ..ground.task("mail") }).await;
    let held = ground.add(NewTask { serial: Some("a".into()), ..ground.task("mail") }).await;
    let paused = ground.running(worker).await.id;
    ground.act(paused, Deed::Pause).await.unwrap();
    let parked = ground.parked(worker).await.id;
    let mut ids = vec![waiting, held, paused, parked];
    for end in [To::Done(Retention::History), To::Done(Retention::Bare), To::Error, To::Error] {
        let task = ground.running(worker).await;
        let errors = Some(Errors::default().with(1, "boom"));
        let change = Change { errors, failures: 4, lost: 1, ..to(&task, end) };
        let _ = ground.finish(fence(&task), Cause::Holder, change).await;
        ids.push(task.id);
    }
    ground.act(ids[7], Deed::Ack).await.unwrap();
    let cancelled = ground.add(ground.task("mail")).await;
    ground.act(cancelled, Deed::Cancel).await.unwrap();
    let running = ground.running(worker).await.id;
    let ready = ground.add(ground.task("mail")).await;
    ids.extend([cancelled, running, ready]);
    ids
}

/// The deeds themselves say what is right; a store must write just that.
// DA-09, CA-03, RS-03.
async fn every_act_does_to_every_status_what_its_rule_says(ground: Ground) {
    let rewrite =
        Deed::Rewrite { step: Some("s".into()), payload: Some(Payload::bytes(*b"new one").version(3)) };
    let deeds = [
        Deed::Again(When::Now),
        Deed::Again(in_s(9)),
        Deed::Ack,
        Deed::Cancel,
        Deed::Pause,
        Deed::Release,
        Deed::Reschedule(When::Now),
        Deed::Reschedule(in_s(90)),
        Deed::Prioritise(Priority::URGENT),
        rewrite,
        Deed::Rewrite { step: None, payload: None },
    ];
    for deed in deeds {
        for id in one_of_each(&ground).await {
            let before = ground.get(id).await;
            ground.pass_s(1);
            let mut wanted = before.clone();
            let answer = deed.apply(&mut wanted, ground.now());
            assert_eq!(ground.act(id, deed.clone()).await, answer, "{deed:?} of {}", before.status);
            let after = ground.get(id).await;
            let wanted = if answer.is_ok() { Task { seq: after.seq, ..wanted } } else { before };
            assert_eq!(after, wanted, "{deed:?}");
        }
        // Nothing may be left to grab for the next round.
        ground.grab(ground.stranger(), "mail", 999).await;
    }
}

async fn an_act_on_an_older_version_is_refused(ground: Ground) {
    let id = ground.add(ground.task("mail")).await;
    let old = ground.get(id).await.version;
    ground.act(id, Deed::Prioritise(Priority::LAST)).await.unwrap();
    let now = ground.get(id).await;
    for version in [old, now.version.next(), Version::from_i64(-1)] {
        let refused = ground.act_guarded(id, Guard::Version(version), Deed::Cancel).await;
        assert_eq!(refused, Err(Refusal::Stale { id, version: now.version.get(), status: Status::Ready }));
    }
    assert_eq!(ground.get(id).await, now);
}

async fn an_act_on_an_unknown_task_is_refused(ground: Ground) {
    let id = ground.id();
    for deed in [Deed::Cancel, Deed::Again(When::Now)] {
        let refused = ground.act_guarded(id, Guard::Version(Version::default()), deed).await;
        assert_eq!(refused, Err(Refusal::NoTask(id)));
    }
}

/// Saves after somebody looked at the run, then stops it by its grant.
async fn check_stopped(ground: &Ground, deed: Deed, status: Status) {
    let task = ground.running(ground.worker().await).await;
    let _ = ground.save(Save { step: Some("on and on".into()), ..ground.save_of(&task) }).await;
    assert!(ground.act_guarded(task.id, Guard::Version(task.version), deed.clone()).await.is_err());
    let acted = ground.act_guarded(task.id, Guard::Grant(task.grant), deed).await.unwrap();
    assert_eq!((acted.status, acted.recalled), (status, task.fence()));
    assert_eq!(ground.get(task.id).await.worker, None);
}

async fn a_task_that_saves_often_cannot_escape_a_cancel(ground: Ground) {
    check_stopped(&ground, Deed::Cancel, Status::Cancelled).await;
}

async fn a_task_that_saves_often_cannot_escape_a_pause(ground: Ground) {
    check_stopped(&ground, Deed::Pause, Status::Paused).await;
}

async fn the_grant_guards_only_acts_that_stop_a_run(ground: Ground) {
    let task = ground.running(ground.worker().await).await;
    let deed = Deed::Prioritise(Priority::URGENT);
    let refused = ground.act_guarded(task.id, Guard::Grant(task.grant), deed).await;
    assert!(matches!(refused, Err(Refusal::Stale { .. })));
    assert_eq!(ground.get(task.id).await, task);
}

async fn the_grant_of_an_earlier_run_is_refused(ground: Ground) {
    let worker = ground.worker().await;
    let old = ground.running(worker).await;
    let _ = ground.end(&old, To::Run(When::Now)).await;
    let task = ground.grab_one(worker, "mail").await;
    assert!(ground.act_guarded(task.id, Guard::Grant(old.grant), Deed::Cancel).await.is_err());
    assert_eq!(ground.get(task.id).await, task);
}

async fn the_grant_of_a_run_that_ended_is_refused(ground: Ground) {
    let task = ground.running(ground.worker().await).await;
    let _ = ground.end(&task, To::Run(When::Now)).await;
    assert!(ground.act_guarded(task.id, Guard::Grant(task.grant), Deed::Cancel).await.is_err());
    assert_eq!(ground.status(task.id).await, Status::Ready);
}

async fn a_batch_with_one_refused_act_keeps_the_others(ground: Ground) {
    let ids = ground.add_n("mail", 3).await;
    let act = |id, version| Act { id, guard: Guard::Version(Version::from_i64(version)), deed: Deed::Pause };
    let version = ground.get(ids[0]).await.version.get();
    let acts = vec![act(ids[2], version), act(ids[1], version + 7), act(ids[0], version)];
    let acted = expect(ground.store.act(acts)).await;
    assert_eq!(acted.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true]);
    assert_eq!(ground.status(ids[1]).await, Status::Ready);
    assert_eq!(ground.status(ids[2]).await, Status::Paused);
}

async fn two_acts_on_one_version_meet_once(ground: Ground) {
    let id = ground.add(ground.task("mail")).await;
    let guard = Guard::Version(ground.get(id).await.version);
    let acts = vec![Act { id, guard, deed: Deed::Pause }, Act { id, guard, deed: Deed::Cancel }];
    let acted = expect(ground.store.act(acts)).await;
    assert!(acted[0].is_ok());
    assert!(matches!(acted[1], Err(Refusal::Stale { status: Status::Paused, .. })), "{acted:?}");
}

async fn a_paused_task_is_not_grabbed_until_it_is_released(ground: Ground) {
    let worker = ground.worker().await;
    let id = ground.add(ground.task("mail")).await;
    ground.act(id, Deed::Pause).await.unwrap();
    ground.pass_s(100);
    expect(ground.store.due(10)).await;
    assert!(ground.grab(worker, "mail", 9).await.is_empty());
    ground.act(id, Deed::Release).await.unwrap();
    let task = ground.grab_one(worker, "mail").await;
    assert_eq!((task.id, task.ready_at), (id, ground.now()));
}

async fn a_task_paused_before_its_time_waits_again_when_released(ground: Ground) {
    let id = ground.add(NewTask { when: in_s(60), ..ground.task("mail") }).await;
    ground.act(id, Deed::Pause).await.unwrap();
    assert_eq!(expect(ground.store.due(10)).await.next_in, None);
    ground.pass_s(20);
    assert_eq!(ground.act(id, Deed::Release).await.unwrap().status, Status::Waiting);
    assert_eq!(expect(ground.store.due(10)).await.next_in, Some(s(40)));
}

async fn a_rescheduled_task_runs_at_its_new_time(ground: Ground) {
    let worker = ground.worker().await;
    let id = ground.add(ground.task("mail")).await;
    assert_eq!(ground.act(id, Deed::Reschedule(in_s(60))).await.unwrap().status, Status::Waiting);
    assert!(ground.grab(worker, "mail", 9).await.is_empty());
    assert_eq!(expect(ground.store.due(10)).await.next_in, Some(s(60)));
    assert_eq!(ground.act(id, Deed::Reschedule(When::Now)).await.unwrap().status, Status::Ready);
    assert_eq!(ground.grab_one(worker, "mail").await.id, id);
    assert_eq!(expect(ground.store.due(10)).await.next_in, None);
}

async fn a_reprioritised_task_is_found_at_its_new_priority(ground: Ground) {
    let worker = ground.worker().await;
    let id = ground.add(NewTask { priority: Priority::LAST, ..ground.task("mail") }).await;
    assert!(ground.grab(worker, "mail", 1).await.is_empty());
    ground.act(id, Deed::Prioritise(Priority::default())).await.unwrap();
    assert_eq!(ground.grab_one(worker, "mail").await.id, id);
}

async fn a_running_tasks_new_priority_counts_at_its_next_run(ground: Ground) {
    let task = ground.running(ground.worker().await).await;
    ground.act(task.id, Deed::Prioritise(Priority::URGENT)).await.unwrap();
    assert_ne!(ground.end(&task, To::Run(When::Now)).await, Finished::Lost);
    let notes = ground.look(10).await.notes;
    assert_eq!((notes.len(), notes[0].priority), (1, Priority::URGENT));
}

async fn a_rewritten_task_goes_on_with_what_was_written(ground: Ground) {
    let task = ground.running(ground.worker().await).await;
    let _ = ground.end(&task, To::Error).await;
    let payload = Payload::bytes(vec![1; 70_000]);
    let deed = Deed::Rewrite { step: Some("mended".into()), payload: Some(payload.clone()) };
    ground.act(task.id, deed).await.unwrap();
    ground.act(task.id, Deed::Again(When::Now)).await.unwrap();
    let run = ground.grab_one(ground.worker().await, "mail").await;
    assert_eq!((run.step.as_deref(), run.payload_len), (Some("mended"), 70_000));
    assert_eq!(expect(ground.store.payload(run.id)).await, Some(payload));
}

async fn running_a_task_again_forgets_its_failures(ground: Ground) {
    let task = ground.running(ground.worker().await).await;
    let errors = Some(Errors::default().with(1, "boom"));
    let change = Change { failures: 9, lost: 5, errors, ..to(&task, To::Error) };
    let _ = ground.finish(fence(&task), Cause::Holder, change).await;
    ground.act(task.id, Deed::Again(When::Now)).await.unwrap();
    let run = ground.grab_one(ground.worker().await, "mail").await;
    assert_eq!((run.failures, run.lost, run.errors.last()), (0, 0, Some("boom")));
}

async fn of_two_racing_acts_one_is_refused(ground: Ground) {
    let id = ground.add(ground.task("mail")).await;
    let guard = Guard::Version(ground.get(id).await.version);
    let (one, other) =
        tokio::join!(ground.act_guarded(id, guard, Deed::Cancel), ground.act_guarded(id, guard, Deed::Pause));
    assert!(one.is_ok() != other.is_ok(), "{one:?} {other:?}");
}
