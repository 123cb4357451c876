//! Waiting tasks come due.

use super::{Case, case};
use crate::ground::{Ground, demand, expect, in_s, kind, s};
use std::time::Duration;
use steadfast_core::seam::{Due, Finished, Grab};
use steadfast_core::{Bucket, NewTask, Note, Priority, Retention, Status, TaskId, Time, To, When, WorkerId};

pub(super) fn cases() -> Vec<Case> {
    vec![
        case(a_task_comes_due_at_its_time_and_not_before),
        case(a_task_that_came_due_counts_as_ready_since_it_was_due),
        case(coming_due_is_a_change_that_outsiders_see),
        case(what_came_due_is_told_by_bucket),
        case(due_moves_no_more_than_it_was_told_and_says_that_there_is_more),
        case(due_says_how_long_until_the_next_one),
        case(nothing_waiting_means_nothing_to_wait_for),
        case(the_earliest_comes_due_first),
        case(of_two_racing_sweeps_one_moves_each_task),
        case(a_task_may_wait_until_the_end_of_time),
        case(what_comes_due_goes_to_whoever_asks_for_it_or_is_ready),
        case(nobody_is_given_what_came_due_and_was_not_asked_for),
        case(what_comes_due_is_granted_to_nobody_before_a_more_urgent_one),
        case(of_two_who_ask_for_what_comes_due_one_gets_each_task),
    ]
}

async fn add_in(ground: &Ground, seconds: u64) -> TaskId {
    ground.add(NewTask { when: in_s(seconds), ..ground.task("mail") }).await
}

async fn due(ground: &Ground, n_max: usize) -> Due {
    expect(ground.store.due(n_max)).await
}

fn n_of(due: &Due) -> usize {
    due.notes.iter().map(|(_, note)| note.n).sum()
}

// M-09.
async fn a_task_comes_due_at_its_time_and_not_before(ground: Ground) {
    let id = add_in(&ground, 10).await;
    ground.clock.pass(Duration::from_micros(9_999_999));
    assert_eq!(n_of(&due(&ground, 10).await), 0);
    assert_eq!(ground.status(id).await, Status::Waiting);
    ground.clock.pass(Duration::from_micros(1));
    assert_eq!(n_of(&due(&ground, 10).await), 1);
    assert_eq!(ground.status(id).await, Status::Ready);
    assert_eq!(ground.grab_one(ground.stranger(), "mail").await.id, id);
}

async fn a_task_that_came_due_counts_as_ready_since_it_was_due(ground: Ground) {
    let id = add_in(&ground, 10).await;
    ground.pass_s(500);
    due(&ground, 10).await;
    let task = ground.get(id).await;
    assert_eq!((task.ready_at, task.due_at), (task.base_at, task.base_at));
}

async fn coming_due_is_a_change_that_outsiders_see(ground: Ground) {
    let id = add_in(&ground, 10).await;
    let before = ground.get(id).await;
    ground.pass_s(11);
    due(&ground, 10).await;
    let after = ground.get(id).await;
    assert_eq!((after.version, after.changed_at), (before.version.next(), ground.now()));
}

async fn what_came_due_is_told_by_bucket(ground: Ground) {
    let bucket = Bucket::new("west").unwrap();
    let ready_at = ground.now().after(s(10));
    for _ in 0..3 {
        add_in(&ground, 10).await;
    }
    ground.add(NewTask { when: in_s(10), bucket: bucket.clone(), ..ground.task("pay") }).await;
    ground.pass_s(10);
    let mut notes = due(&ground, 10).await.notes;
    notes.sort();
    let note = |name: &str, n| Note {
        kind: kind(name),
        priority: steadfast_core::Priority::default(),
        ready_at,
        lane: steadfast_core::Lane::Plain,
        n,
    };
    assert_eq!(notes, [(Bucket::default(), note("mail", 3)), (bucket, note("pay", 1))]);
}

async fn due_moves_no_more_than_it_was_told_and_says_that_there_is_more(ground: Ground) {
    for _ in 0..5 {
        add_in(&ground, 10).await;
    }
    ground.pass_s(10);
    for (moved, next_in) in [(2, Some(s(0))), (2, Some(s(0))), (1, None)] {
        let due = due(&ground, 2).await;
        assert_eq!((n_of(&due), due.next_in), (moved, next_in));
    }
}

async fn due_says_how_long_until_the_next_one(ground: Ground) {
    for seconds in [10, 30, 20] {
        add_in(&ground, seconds).await;
    }
    assert_eq!(due(&ground, 10).await.next_in, Some(s(10)));
    ground.pass_s(15);
    assert_eq!(due(&ground, 10).await.next_in, Some(s(5)));
}

async fn nothing_waiting_means_nothing_to_wait_for(ground: Ground) {
    ground.add_n("mail", 2).await;
    let due = due(&ground, 10).await;
    assert!(due.notes.is_empty() && due.next_in.is_none());
}

async fn the_earliest_comes_due_first(ground: Ground) {
    let (late, early) = (add_in(&ground, 20).await, add_in(&ground, 10).await);
    ground.pass_s(30);
    due(&ground, 1).await;
    assert_eq!((ground.status(early).await, ground.status(late).await), (Status::Ready, Status::Waiting));
}

async fn of_two_racing_sweeps_one_moves_each_task(ground: Ground) {
    for _ in 0..20 {
        add_in(&ground, 10).await;
    }
    ground.pass_s(10);
    let (one, other) = tokio::join!(due(&ground, 15), due(&ground, 15));
    let rest = due(&ground, 15).await;
    assert_eq!(n_of(&one) + n_of(&other) + n_of(&rest), 20);
}

async fn a_task_may_wait_until_the_end_of_time(ground: Ground) {
    for when in [When::At(Time::MAX), When::After(Duration::MAX)] {
        let id = ground.add(NewTask { when, ..ground.task("mail") }).await;
        let task = ground.get(id).await;
        assert_eq!((task.status, task.due_at), (Status::Waiting, Time::MAX));
    }
    assert_eq!(due(&ground, 10).await.next_in, Some(Time::MAX.since(ground.now())));
}

/// Asks for what came due on behalf of a worker that wants so many mails.
async fn due_for(ground: &Ground, worker: WorkerId, n: usize) -> Due {
    let demands = vec![(demand("mail", n), Ground::DEADLINE)];
    let grab = Grab { worker, bucket: Bucket::default(), demands, under: None, durable: false };
    expect(ground.store.due_for(10, grab)).await
}

async fn what_comes_due_goes_to_whoever_asks_for_it_or_is_ready(ground: Ground) {
    let before = ground.get(add_in(&ground, 10).await).await;
    for _ in 0..4 {
        add_in(&ground, 11).await;
    }
    ground.pass_s(20);
    let worker = ground.worker().await;
    let due = due_for(&ground, worker, 3).await;
    let n = if ground.store.grants_due() { 3 } else { 0 };
    assert_eq!((due.granted.len(), n_of(&due)), (n, 5 - n));
    for granted in &due.granted {
        let kept = ground.get(granted.id).await;
        assert_eq!(*granted, kept, "as it stands in the store");
        assert_eq!((kept.status, kept.worker, kept.attempt), (Status::Running, Some(worker), 1));
        assert_eq!((kept.ready_at, kept.changed_at), (kept.due_at, ground.now()));
        let ended = ground.end(granted, To::Done(Retention::Delete)).await;
        assert!(matches!(ended, Finished::Accepted { .. }), "{ended:?}");
    }
    if let Some(first) = due.granted.first() {
        assert_eq!((first.id, first.version), (before.id, before.version.next()), "in order, in one change");
    }
    assert_eq!(ground.grab(worker, "mail", 10).await.len(), n_of(&due));
}

async fn nobody_is_given_what_came_due_and_was_not_asked_for(ground: Ground) {
    let urgent = Priority::new(1).unwrap();
    let bucket = Bucket::new("west").unwrap();
    for task in [
        NewTask { when: in_s(10), ..ground.task("pay") },
        NewTask { when: in_s(10), priority: urgent, ..ground.task("mail") },
        NewTask { when: in_s(10), bucket, ..ground.task("mail") },
    ] {
        ground.add(task).await;
    }
    ground.pass_s(10);
    let worker = ground.worker().await;
    let due = due_for(&ground, worker, 3).await;
    assert_eq!((due.granted.len(), n_of(&due)), (0, 3));
    add_in(&ground, 10).await;
    ground.pass_s(10);
    expect(ground.store.pause_bucket(Bucket::default(), true)).await;
    let due = due_for(&ground, worker, 3).await;
    assert_eq!((due.granted.len(), n_of(&due)), (0, 1), "nothing is taken from a paused bucket");
}

async fn what_comes_due_is_granted_to_nobody_before_a_more_urgent_one(ground: Ground) {
    let worker = ground.worker().await;
    let n = if ground.store.grants_due() { 2 } else { 0 };
    for (priority, granted) in [(Priority::URGENT, 0), (Priority::LAST, n)] {
        for _ in 0..2 {
            add_in(&ground, 10).await;
        }
        ground.add(NewTask { when: in_s(10), priority, ..ground.task("pay") }).await;
        ground.pass_s(10);
        let due = due_for(&ground, worker, 2).await;
        assert_eq!((due.granted.len(), n_of(&due)), (granted, 3 - granted));
    }
}

async fn of_two_who_ask_for_what_comes_due_one_gets_each_task(ground: Ground) {
    for _ in 0..10 {
        add_in(&ground, 10).await;
    }
    ground.pass_s(10);
    let (a, b) = (ground.worker().await, ground.worker().await);
    let (one, other) = tokio::join!(due_for(&ground, a, 10), due_for(&ground, b, 10));
    let rest = due_for(&ground, a, 10).await;
    let mut granted: Vec<TaskId> =
        [&one, &other, &rest].iter().flat_map(|due| due.granted.iter().map(|task| task.id)).collect();
    let n = granted.len();
    granted.sort();
    granted.dedup();
    assert_eq!(granted.len(), n, "none was given twice");
    assert_eq!(n + n_of(&one) + n_of(&other) + n_of(&rest), 10);
}
