//! Serial keys: one at a time, in order of adding.

use super::{Case, case};
use crate::ground::{Ground, expect, in_s, s};
use steadfast_core::{Deed, NewTask, Retention, Status, TaskId, To, When};

pub(super) fn cases() -> Vec<Case> {
    vec![
        case(the_first_of_a_serial_key_comes_forward),
        case(only_one_of_a_serial_key_comes_forward),
        case(a_released_task_is_ready_as_of_now),
        case(a_release_is_told_by_note),
        case(a_task_that_is_not_due_blocks_its_key),
        case(a_running_head_blocks_its_key),
        case(a_parked_head_blocks_its_key),
        case(a_paused_head_blocks_its_key),
        case(a_head_in_error_blocks_its_key),
        case(the_next_comes_forward_when_the_head_is_done),
        case(the_next_comes_forward_when_the_head_is_cancelled),
        case(the_next_comes_forward_when_the_head_is_acknowledged),
        case(a_retry_keeps_the_head_of_its_key),
        case(a_cancelled_task_in_the_line_is_passed_over),
        case(serial_keys_do_not_wait_for_each_other),
        case(a_serial_key_spans_kinds_and_buckets),
        case(a_final_serial_task_runs_again_at_the_end_of_its_line),
        case(a_serial_task_in_error_runs_again_at_the_head_of_its_line),
        case(a_sweep_releases_all_keys_in_slices),
        case(a_sweep_skips_keys_that_have_a_head),
        case(of_two_racing_releases_one_brings_a_task_forward),
        case(releasing_an_unknown_key_does_nothing),
        case(a_line_is_served_in_order_of_adding),
    ]
}

fn serial(ground: &Ground, key: &str) -> NewTask {
    NewTask { serial: Some(key.into()), ..ground.task("mail") }
}

/// Adds so many tasks behind one key.
async fn line(ground: &Ground, key: &str, n: usize) -> Vec<TaskId> {
    let tasks = (0..n).map(|_| serial(ground, key)).collect();
    ground.add_all(tasks).await.added.into_iter().map(|added| added.id).collect()
}

async fn statuses(ground: &Ground, ids: &[TaskId]) -> Vec<Status> {
    let mut statuses = Vec::new();
    for id in ids {
        statuses.push(ground.status(*id).await);
    }
    statuses
}

async fn the_first_of_a_serial_key_comes_forward(ground: Ground) {
    let ids = line(&ground, "a", 3).await;
    ground.release(&["a"]).await;
    assert_eq!(statuses(&ground, &ids).await, [Status::Ready, Status::Held, Status::Held]);
}

async fn only_one_of_a_serial_key_comes_forward(ground: Ground) {
    let ids = line(&ground, "a", 2).await;
    ground.release(&["a", "a"]).await;
    let again = ground.release(&["a"]).await;
    assert!(again.notes.is_empty());
    assert_eq!(statuses(&ground, &ids).await, [Status::Ready, Status::Held]);
}

async fn a_released_task_is_ready_as_of_now(ground: Ground) {
    let ids = line(&ground, "a", 1).await;
    let before = ground.get(ids[0]).await;
    ground.pass_s(30);
    ground.release(&["a"]).await;
    let after = ground.get(ids[0]).await;
    assert_eq!((after.ready_at, after.due_at), (ground.now(), before.due_at));
    assert_eq!((after.version, after.changed_at), (before.version.next(), ground.now()));
}

async fn a_release_is_told_by_note(ground: Ground) {
    line(&ground, "a", 2).await;
    line(&ground, "b", 2).await;
    let released = ground.release(&["a", "b"]).await;
    assert_eq!(released.notes.iter().map(|(_, note)| note.n).sum::<usize>(), 2);
    let (bucket, note) = &released.notes[0];
    assert_eq!((bucket.as_str(), note.kind.as_str(), note.ready_at), ("default", "mail", ground.now()));
    assert_eq!((released.due_in, released.after), (None, None));
}

async fn a_task_that_is_not_due_blocks_its_key(ground: Ground) {
    let first = ground.add(NewTask { when: in_s(60), ..serial(&ground, "a") }).await;
    let second = ground.add(serial(&ground, "a")).await;
    let released = ground.release(&["a"]).await;
    assert!(released.notes.is_empty());
    assert_eq!(released.due_in, Some(s(60)));
    ground.release(&["a"]).await;
    assert_eq!(statuses(&ground, &[first, second]).await, [Status::Waiting, Status::Held]);
    ground.pass_s(60);
    expect(ground.store.due(10)).await;
    assert_eq!(ground.grab_one(ground.stranger(), "mail").await.id, first);
}

/// Puts the head of a key into some status; the one behind it must stay held.
async fn check_blocks(ground: &Ground, status: Status) {
    let head = ground.running_as(ground.worker().await, serial(ground, "a")).await;
    match status {
        Status::Parked => drop(ground.end(&head, To::Parked(in_s(60))).await),
        Status::Error => drop(ground.end(&head, To::Error).await),
        Status::Paused => drop(ground.act(head.id, Deed::Pause).await.unwrap()),
        _ => {}
    }
    let next = ground.add(serial(ground, "a")).await;
    assert!(ground.release(&["a"]).await.notes.is_empty());
    assert_eq!(statuses(ground, &[head.id, next]).await, [status, Status::Held]);
}

async fn a_running_head_blocks_its_key(ground: Ground) {
    check_blocks(&ground, Status::Running).await;
}

async fn a_parked_head_blocks_its_key(ground: Ground) {
    check_blocks(&ground, Status::Parked).await;
}

async fn a_paused_head_blocks_its_key(ground: Ground) {
    check_blocks(&ground, Status::Paused).await;
}

async fn a_head_in_error_blocks_its_key(ground: Ground) {
    check_blocks(&ground, Status::Error).await;
}

async fn the_next_comes_forward_when_the_head_is_done(ground: Ground) {
    for retention in [Retention::History, Retention::Bare, Retention::Delete] {
        let head = ground.running_as(ground.worker().await, serial(&ground, "a")).await;
        let next = ground.add(serial(&ground, "a")).await;
        let _ = ground.end(&head, To::Done(retention)).await;
        assert_eq!(ground.status(next).await, Status::Held);
        ground.release(&["a"]).await;
        assert_eq!(ground.status(next).await, Status::Ready);
        ground.act(next, Deed::Cancel).await.unwrap();
    }
}

async fn the_next_comes_forward_when_the_head_is_cancelled(ground: Ground) {
    let ids = line(&ground, "a", 2).await;
    ground.release(&["a"]).await;
    ground.act(ids[0], Deed::Cancel).await.unwrap();
    ground.release(&["a"]).await;
    assert_eq!(ground.status(ids[1]).await, Status::Ready);
}

async fn the_next_comes_forward_when_the_head_is_acknowledged(ground: Ground) {
    let head = ground.running_as(ground.worker().await, serial(&ground, "a")).await;
    let next = ground.add(serial(&ground, "a")).await;
    let _ = ground.end(&head, To::Error).await;
    ground.act(head.id, Deed::Ack).await.unwrap();
    ground.release(&["a"]).await;
    assert_eq!(ground.status(next).await, Status::Ready);
}

async fn a_retry_keeps_the_head_of_its_key(ground: Ground) {
    let worker = ground.worker().await;
    let head = ground.running_as(worker, serial(&ground, "a")).await;
    let next = ground.add(serial(&ground, "a")).await;
    let _ = ground.end(&head, To::Run(in_s(60))).await;
    assert!(ground.release(&["a"]).await.notes.is_empty());
    assert_eq!(statuses(&ground, &[head.id, next]).await, [Status::Waiting, Status::Held]);
}

async fn a_cancelled_task_in_the_line_is_passed_over(ground: Ground) {
    let ids = line(&ground, "a", 3).await;
    ground.act(ids[0], Deed::Cancel).await.unwrap();
    ground.release(&["a"]).await;
    assert_eq!(statuses(&ground, &ids).await, [Status::Cancelled, Status::Ready, Status::Held]);
}

async fn serial_keys_do_not_wait_for_each_other(ground: Ground) {
    let (one, other) = (line(&ground, "a", 2).await, line(&ground, "A", 2).await);
    ground.release(&["a", "A"]).await;
    assert_eq!(statuses(&ground, &[one[0], other[0]]).await, [Status::Ready; 2]);
    assert_eq!(statuses(&ground, &[one[1], other[1]]).await, [Status::Held; 2]);
}

async fn a_serial_key_spans_kinds_and_buckets(ground: Ground) {
    let first = ground.add(serial(&ground, "a")).await;
    let bucket = steadfast_core::Bucket::new("west").unwrap();
    let second = NewTask { serial: Some("a".into()), bucket, ..ground.task("pay") };
    let second = ground.add(second).await;
    ground.release(&["a"]).await;
    assert_eq!(statuses(&ground, &[first, second]).await, [Status::Ready, Status::Held]);
}

async fn a_final_serial_task_runs_again_at_the_end_of_its_line(ground: Ground) {
    let worker = ground.worker().await;
    let first = ground.running_as(worker, serial(&ground, "a")).await;
    let second = ground.add(serial(&ground, "a")).await;
    let _ = ground.end(&first, To::Done(Retention::History)).await;
    let acted = ground.act(first.id, Deed::Again(When::Now)).await.unwrap();
    assert_eq!(acted.status, Status::Held);
    for id in [second, first.id] {
        ground.release(&["a"]).await;
        let task = ground.grab_one(worker, "mail").await;
        assert_eq!(task.id, id);
        let _ = ground.end(&task, To::Done(Retention::History)).await;
    }
}

async fn a_serial_task_in_error_runs_again_at_the_head_of_its_line(ground: Ground) {
    let worker = ground.worker().await;
    let first = ground.running_as(worker, serial(&ground, "a")).await;
    ground.add(serial(&ground, "a")).await;
    let _ = ground.end(&first, To::Error).await;
    assert_eq!(ground.act(first.id, Deed::Again(When::Now)).await.unwrap().status, Status::Ready);
    ground.release(&["a"]).await;
    assert_eq!(ground.grab(worker, "mail", 9).await[0].id, first.id);
    assert!(ground.grab(worker, "mail", 9).await.is_empty());
}

async fn a_sweep_releases_all_keys_in_slices(ground: Ground) {
    for n in 0..25 {
        line(&ground, &format!("key {n:02}"), 2).await;
    }
    let (mut released, mut after, mut slices) = (0, None, 0);
    loop {
        let slice = expect(ground.store.release(None, after, 10)).await;
        let n = slice.notes.iter().map(|(_, note)| note.n).sum::<usize>();
        assert!(n <= 10, "a slice is bounded");
        released += n;
        slices += 1;
        after = slice.after;
        if after.is_none() {
            break;
        }
        assert!(slices < 10, "a round ends");
    }
    assert_eq!(released, 25);
    assert_eq!(ground.grab(ground.stranger(), "mail", 99).await.len(), 25);
}

async fn a_sweep_skips_keys_that_have_a_head(ground: Ground) {
    line(&ground, "a", 2).await;
    ground.release(&["a"]).await;
    let free = line(&ground, "b", 2).await;
    let released = expect(ground.store.release(None, None, 10)).await;
    assert_eq!(released.notes.iter().map(|(_, note)| note.n).sum::<usize>(), 1);
    assert_eq!(ground.status(free[0]).await, Status::Ready);
}

async fn of_two_racing_releases_one_brings_a_task_forward(ground: Ground) {
    line(&ground, "a", 5).await;
    let (one, other) = tokio::join!(ground.release(&["a"]), ground.release(&["a"]));
    assert_eq!(one.notes.len() + other.notes.len(), 1);
    assert_eq!(ground.grab(ground.stranger(), "mail", 9).await.len(), 1);
}

async fn releasing_an_unknown_key_does_nothing(ground: Ground) {
    let released = ground.release(&["nobody"]).await;
    assert!(released.notes.is_empty() && released.due_in.is_none() && released.after.is_none());
    let swept = expect(ground.store.release(None, None, 10)).await;
    assert!(swept.notes.is_empty() && swept.after.is_none());
}

async fn a_line_is_served_in_order_of_adding(ground: Ground) {
    let worker = ground.worker().await;
    let ids = line(&ground, "a", 10).await;
    let mut served = Vec::new();
    while served.len() < ids.len() {
        ground.release(&["a"]).await;
        let tasks = ground.grab(worker, "mail", 9).await;
        assert_eq!(tasks.len(), 1, "one at a time");
        let _ = ground.end(&tasks[0], To::Done(Retention::Delete)).await;
        served.push(tasks[0].id);
    }
    assert_eq!(served, ids);
}
