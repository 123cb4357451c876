use crate::{NOW, legal, new_task, now_and, task, worker};
use std::time::Duration;
use steadfast_core::{
    Deed, Errors, Fence, Grant, Guard, Payload, Priority, Refusal, Status, Task, Time, Version, When,
};

/// What each deed makes of each status; `-` where it is refused.
const MATRIX: &str = "
    deed        waiting   held      paused    ready     running   parked    done    error     failed  cancelled
    again       -         -         -         -         -         -         ready   ready     ready   ready
    again-later -         -         -         -         -         -         waiting waiting   waiting waiting
    ack         -         -         -         -         -         -         -       failed    -       -
    cancel      cancelled cancelled cancelled cancelled cancelled cancelled -       cancelled -       -
    pause       paused    -         -         paused    paused    paused    -       -         -       -
    release     -         -         ready     -         -         -         -       -         -       -
    now         ready     held      paused    ready     -         -         -       -         -       -
    later       waiting   held      paused    waiting   -         -         -       -         -       -
    prioritise  waiting   held      paused    ready     running   parked    -       error     -       -
    rewrite     waiting   held      paused    ready     -         -         -       error     -       -
";

#[test]
fn every_deed_fits_where_the_matrix_says() {
    let mut rows = MATRIX.lines().map(str::split_whitespace).filter(|row| row.clone().count() > 0);
    let statuses: Vec<Status> = rows.next().unwrap().skip(1).map(|name| name.parse().unwrap()).collect();
    assert_eq!(statuses, Status::ALL);
    for mut row in rows {
        let name = row.next().unwrap();
        for (status, expected) in statuses.iter().zip(row) {
            check(name, *status, expected);
        }
    }
}

fn check(name: &str, status: Status, expected: &str) {
    let (before, deed) = (task(status), deed(name));
    let mut after = before.clone();
    match deed.apply(&mut after, NOW) {
        Ok(acted) => {
            assert_eq!(acted.status.as_str(), expected, "{name} of {status}");
            assert!(legal(status, acted.status), "{name} made {} of {status}", acted.status);
            assert_eq!((acted.status, acted.version), (after.status, after.version));
            assert_eq!((after.version, after.changed_at), (before.version.next(), NOW));
            assert_eq!(after.worker.is_some(), after.status.has_holder(), "{name} of {status}");
            let taken = status == Status::Running && acted.status != Status::Running;
            assert_eq!(acted.recalled, before.fence().filter(|_| taken), "{name} of {status}");
            assert_eq!((after.grant, after.attempt), (before.grant, before.attempt));
        }
        Err(refusal) => {
            assert_eq!(expected, "-", "{name} of {status} was refused: {refusal}");
            assert_eq!(
                refusal.to_string(),
                format!("cannot {} task {}: it is {status}", deed.name(), before.id)
            );
            assert_eq!(after, before, "a refused act changes nothing");
        }
    }
}

fn deed(name: &str) -> Deed {
    let later = When::After(Duration::from_secs(9));
    match name {
        "again" => Deed::Again(When::Now),
        "again-later" => Deed::Again(later),
        "ack" => Deed::Ack,
        "cancel" => Deed::Cancel,
        "pause" => Deed::Pause,
        "release" => Deed::Release,
        "now" => Deed::Reschedule(When::Now),
        "later" => Deed::Reschedule(later),
        "prioritise" => Deed::Prioritise(Priority::URGENT),
        "rewrite" => Deed::Rewrite { step: Some("two".into()), payload: Some(Payload::bytes(*b"new")) },
        other => panic!("unknown deed {other}"),
    }
}

#[test]
fn again_forgets_failures_and_lost_runs_but_not_what_they_said() {
    let errors = Errors::default().with(1, "boom");
    let mut task = Task { failures: 3, lost: 2, errors: errors.clone(), ..task(Status::Error) };
    Deed::Again(When::After(Duration::from_secs(9))).apply(&mut task, NOW).unwrap();
    assert_eq!((task.failures, task.lost, &task.errors), (0, 0, &errors));
    assert_eq!((task.due_at, task.ready_at, task.base_at), (now_and(9), now_and(9), now_and(9)));
}

#[test]
fn again_of_a_final_serial_task_goes_to_the_end_of_its_queue() {
    for status in Status::ALL.into_iter().filter(|status| status.is_final()) {
        let mut task = Task { serial: Some("account".into()), ..task(status) };
        assert_eq!(Deed::Again(When::Now).apply(&mut task, NOW).unwrap().status, Status::Held);
    }
    // An error is still the head of its queue.
    let mut task = Task { serial: Some("account".into()), ..task(Status::Error) };
    assert_eq!(Deed::Again(When::Now).apply(&mut task, NOW).unwrap().status, Status::Ready);
}

#[test]
fn again_is_refused_when_the_payload_was_not_kept() {
    let bare = Task { payload: None, ..task(Status::Done) };
    let mut after = bare.clone();
    assert_eq!(Deed::Again(When::Now).apply(&mut after, NOW), Err(Refusal::PayloadGone(bare.id)));
    assert_eq!(after, bare);
    let mut empty = Task { payload: None, payload_len: 0, ..bare };
    assert!(Deed::Again(When::Now).apply(&mut empty, NOW).is_ok());
}

#[test]
fn a_paused_task_comes_back_to_where_its_time_says() {
    for (status, released) in [
        (Status::Waiting, Status::Waiting),
        (Status::Ready, Status::Ready),
        (Status::Running, Status::Ready),
        // Its time was the end of its park, not when it may run.
        (Status::Parked, Status::Ready),
    ] {
        let mut task = task(status);
        let due_at = task.due_at;
        Deed::Pause.apply(&mut task, NOW).unwrap();
        assert_eq!(Deed::Release.apply(&mut task, NOW).unwrap().status, released, "{status}");
        let ready_at = if released == Status::Waiting { due_at } else { NOW };
        assert_eq!(task.ready_at, ready_at, "{status}");
    }
}

#[test]
fn an_ended_task_says_when_it_ended() {
    for (deed, status) in [(Deed::Cancel, Status::Waiting), (Deed::Ack, Status::Error)] {
        let mut task = task(status);
        deed.apply(&mut task, NOW).unwrap();
        assert_eq!(task.due_at, NOW);
    }
}

#[test]
fn a_rewrite_changes_only_what_it_names() {
    let mut after = task(Status::Ready);
    Deed::Rewrite { step: Some("two".into()), payload: None }.apply(&mut after, NOW).unwrap();
    assert_eq!((after.step.as_deref(), after.payload_len), (Some("two"), 5));
    Deed::Rewrite { step: None, payload: Some(Payload::bytes(*b"new")) }.apply(&mut after, NOW).unwrap();
    assert_eq!((after.step.as_deref(), after.payload_len), (Some("two"), 3));
    assert_eq!(after.payload, Some(Payload::bytes(*b"new")));
}

#[test]
fn a_deed_that_no_store_could_keep_is_refused() {
    let beyond = When::At(Time::from_micros(Time::MAX.micros() + 1));
    let step = |step: &str| Deed::Rewrite { step: Some(step.into()), payload: None };
    for (deed, status, why) in [
        (Deed::Again(beyond), Status::Error, "time 253402300800000000 µs since 1970 is out of range"),
        (Deed::Reschedule(beyond), Status::Ready, "time 253402300800000000 µs since 1970 is out of range"),
        (step(""), Status::Ready, "step is empty"),
        (step("a\0"), Status::Ready, "step holds the control character '\\0' at byte 1"),
    ] {
        let before = task(status);
        let mut after = before.clone();
        let refusal = deed.apply(&mut after, NOW).unwrap_err().to_string();
        assert!(refusal.starts_with(why), "{refusal}");
        assert_eq!(after, before);
    }
}

#[test]
fn a_guard_lets_through_only_who_saw_the_task_as_it_is() {
    let task = task(Status::Running);
    let stale = Err(Refusal::Stale { id: task.id, version: task.version.get(), status: task.status });
    let (version, grant) = (task.version, task.grant);
    let check = |guard: Guard, deed: &Deed, expected: &Result<(), Refusal>| {
        assert_eq!(&guard.check(&task, deed), expected, "{guard:?} for {}", deed.name());
    };
    check(Guard::Version(version), &Deed::Cancel, &Ok(()));
    check(Guard::Version(version.next()), &Deed::Cancel, &stale);
    check(Guard::Version(Version::default()), &Deed::Cancel, &stale);
    check(Guard::Grant(grant), &Deed::Cancel, &Ok(()));
    check(Guard::Grant(grant), &Deed::Pause, &Ok(()));
    check(Guard::Grant(grant.next()), &Deed::Cancel, &stale);
    check(Guard::Grant(Grant::default()), &Deed::Pause, &stale);
    // Only what stops a run may name the run instead of the version.
    for name in ["again", "ack", "release", "now", "prioritise", "rewrite"] {
        check(Guard::Grant(grant), &deed(name), &stale);
    }
}

#[test]
fn a_grant_is_no_guard_once_nobody_holds_the_task() {
    for status in Status::ALL {
        let task = task(status);
        let fresh = Guard::Grant(task.grant).check(&task, &Deed::Cancel).is_ok();
        assert_eq!(fresh, status.has_holder(), "{status}");
    }
}

#[test]
fn only_a_held_task_has_a_fence() {
    let running = task(Status::Running);
    let fence = Fence { task: new_task().id, grant: Grant::from_i64(1), worker: worker() };
    assert_eq!(running.fence(), Some(fence));
    assert_eq!(task(Status::Ready).fence(), None);
}
