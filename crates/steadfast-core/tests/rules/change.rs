use crate::{NOW, now_and, task, worker};
use std::time::Duration;
use steadfast_core::{Change, Errors, Kind, Payload, Retention, Status, Time, To, When};

/// A change that only moves a task.
fn to(to: To) -> Change {
    Change {
        to,
        attempt: 1,
        failures: 0,
        lost: 0,
        errors: None,
        output: None,
        kind: None,
        step: None,
        payload: None,
    }
}

/// The status, due time, ready time (in seconds from now) and whether a worker is still named.
fn check(change: &Change, expected: (Status, i64, i64, bool)) {
    let mut after = task(Status::Running);
    change.apply(&mut after, NOW);
    let seconds = |time: Time| (time.micros() - NOW.micros()) / 1_000_000;
    let seen = (after.status, seconds(after.due_at), seconds(after.ready_at), after.worker.is_some());
    assert_eq!(seen, expected, "{:?}", change.to);
    assert_eq!(after.deadline_at, None);
}

#[test]
fn a_change_moves_a_task_to_where_it_says() {
    let later = When::After(Duration::from_secs(9));
    check(&to(To::Done(Retention::History)), (Status::Done, 0, -60, false));
    check(&to(To::Error), (Status::Error, -60, -60, false));
    check(&to(To::Run(When::Now)), (Status::Ready, 0, 0, false));
    check(&to(To::Run(later)), (Status::Waiting, 9, 9, false));
    // Due in the past is ready now: it does not go ahead of what became ready before.
    check(&to(To::Run(When::At(Time::MIN))), (Status::Ready, -1000, 0, false));
    check(&to(To::Back), (Status::Ready, -60, -60, false));
    check(&to(To::Parked(later)), (Status::Parked, 9, -60, true));
}

#[test]
fn a_parked_task_keeps_its_fence_and_a_finish_by_token_ends_it() {
    let mut after = task(Status::Running);
    let fence = after.fence();
    to(To::Parked(When::At(now_and(9)))).apply(&mut after, NOW);
    assert_eq!((after.fence(), after.worker), (fence, Some(worker())));
    to(To::Done(Retention::History)).apply(&mut after, now_and(5));
    assert_eq!((after.status, after.due_at, after.fence()), (Status::Done, now_and(5), None));
}

#[test]
fn what_a_change_does_not_name_stays() {
    let before = task(Status::Running);
    let mut after = before.clone();
    to(To::Error).apply(&mut after, NOW);
    assert_eq!((&after.kind, &after.step, &after.payload), (&before.kind, &before.step, &before.payload));
    assert_eq!(
        (&after.errors, &after.output, after.base_at),
        (&before.errors, &before.output, before.base_at)
    );
    assert_eq!((after.version, after.changed_at), (before.version.next(), NOW));
}

#[test]
fn what_a_change_names_is_written() {
    let errors = Errors::default().with(1, "boom");
    let change = Change {
        attempt: 4,
        failures: 3,
        lost: 2,
        errors: Some(errors.clone()),
        output: Some("out".into()),
        kind: Some(Kind::new("pay").unwrap()),
        step: Some("two".into()),
        payload: Some(Payload::bytes(*b"new")),
        ..to(To::Run(When::Now))
    };
    let mut after = task(Status::Running);
    change.apply(&mut after, NOW);
    assert_eq!((after.attempt, after.failures, after.lost), (4, 3, 2));
    assert_eq!((after.kind.as_str(), after.step.as_deref()), ("pay", Some("two")));
    assert_eq!((after.payload, after.payload_len), (Some(Payload::bytes(*b"new")), 3));
    assert_eq!((after.errors, after.output.as_deref()), (errors, Some("out")));
}
