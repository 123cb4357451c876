use crate::{NOW, task};
use steadfast_core::{Bucket, Filter, Key, Kind, Status, Task, TaskId, Time, WorkerId};

/// A task for which every condition can be met.
fn full() -> Task {
    Task {
        key: Some(Key::key("k")),
        serial: Some("s".into()),
        search1: Some("one".into()),
        search2: Some("two".into()),
        parent: Some(TaskId::new(9, [9, 9])),
        created_at: NOW,
        ..task(Status::Running)
    }
}

type Set = fn(&mut Filter);

/// Each condition, once as the task meets it and once as it does not.
const CONDITIONS: [(Set, Set); 11] = [
    (|filter| filter.status = Some(Status::Running), |filter| filter.status = Some(Status::Ready)),
    (|filter| filter.bucket = Some(Bucket::default()), |filter| filter.bucket = Bucket::new("other").ok()),
    (|filter| filter.kind = Kind::new("mail").ok(), |filter| filter.kind = Kind::new("mail|x").ok()),
    (|filter| filter.key = Some(Key::key("k")), |filter| filter.key = Some(Key::id("k"))),
    (|filter| filter.serial = Some("s".into()), |filter| filter.serial = Some("t".into())),
    (|filter| filter.search1 = Some("one".into()), |filter| filter.search1 = Some("two".into())),
    (|filter| filter.search2 = Some("two".into()), |filter| filter.search2 = Some("one".into())),
    (|filter| filter.worker = Some(crate::worker()), |filter| filter.worker = Some(WorkerId::new(8, [8, 8]))),
    (
        |filter| filter.parent = Some(TaskId::new(9, [9, 9])),
        |filter| filter.parent = Some(TaskId::new(8, [8, 8])),
    ),
    (|filter| filter.since = Some(NOW), |filter| filter.since = Some(crate::now_and(1))),
    (|filter| filter.until = Some(crate::now_and(1)), |filter| filter.until = Some(NOW)),
];

#[test]
fn nothing_said_accepts_everything() {
    for status in Status::ALL {
        assert!(Filter::default().accepts(&task(status)));
    }
}

#[test]
fn every_condition_decides_alone_and_all_must_hold() {
    let mut all = Filter::default();
    for (at, (met, missed)) in CONDITIONS.into_iter().enumerate() {
        let (mut alone, mut wrong) = (Filter::default(), Filter::default());
        met(&mut alone);
        missed(&mut wrong);
        met(&mut all);
        assert!(alone.accepts(&full()), "condition {at} is met");
        assert!(!wrong.accepts(&full()), "condition {at} is missed");
        assert!(all.accepts(&full()), "conditions up to {at} are met");
        let mut one_wrong = all.clone();
        missed(&mut one_wrong);
        assert!(!one_wrong.accepts(&full()), "condition {at} is missed among others");
    }
}

#[test]
fn a_condition_on_what_a_task_lacks_is_missed() {
    let plain = task(Status::Ready);
    for at in [3, 4, 5, 6, 7, 8] {
        let mut filter = Filter::default();
        CONDITIONS[at].0(&mut filter);
        assert!(!filter.accepts(&plain), "condition {at}");
    }
    assert!(!Filter { since: Some(Time::MAX), ..Filter::default() }.accepts(&plain));
}
