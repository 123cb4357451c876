//! Waiting tasks come due.

use super::{Case, case};
use crate::ground::{Ground, expect, in_s, kind, s};
use std::time::Duration;
use steadfast_core::seam::Due;
use steadfast_core::{Bucket, NewTask, Note, Status, TaskId, Time, When};

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
