//! Reading ahead.

use super::{Case, case};
use crate::ground::{Ground, expect, in_s, s, to};
use std::collections::BTreeMap;
use steadfast_core::seam::{Cause, Look};
use steadfast_core::{Bucket, Change, Kind, Lane, NewTask, Note, Priority, To, When};

pub(super) fn cases() -> Vec<Case> {
    vec![
        case(a_look_at_an_empty_bucket_sees_nothing),
        case(a_look_sees_what_is_ready_and_takes_nothing),
        case(a_look_sees_the_most_urgent_first_then_the_oldest),
        case(a_look_keeps_to_its_bucket),
        case(every_bucket_with_something_ready_is_listed),
        case(a_look_reads_no_further_than_its_window),
        case(a_look_sees_only_ready_tasks),
        case(a_look_tells_suspects_apart),
        case(a_look_says_when_the_next_task_of_any_bucket_is_due),
        case(a_look_behind_sees_own_kinds_that_are_not_full),
        case(a_look_behind_an_empty_bucket_sees_nothing),
        case(a_look_behind_shares_its_window_out_among_kinds),
        case(a_look_behind_sees_the_most_urgent_of_a_kind_first),
        case(a_look_behind_tells_suspects_apart),
        case(a_round_behind_full_kinds_meets_every_own_kind),
    ]
}

/// Notes as `priority:kind:n`, those of one lot put together.
fn lots(notes: &[Note]) -> Vec<String> {
    let mut lots: BTreeMap<(Priority, i64, Kind, Lane), usize> = BTreeMap::new();
    for note in notes {
        *lots.entry((note.priority, note.ready_at.micros(), note.kind.clone(), note.lane)).or_default() +=
            note.n;
    }
    let text = |((priority, _, kind, lane), n): (&(Priority, i64, Kind, Lane), &usize)| match lane {
        Lane::Plain => format!("{priority}:{kind}:{n}"),
        Lane::Suspect => format!("{priority}:{kind}:{n} suspect"),
    };
    lots.iter().map(text).collect()
}

// M-03.
async fn a_look_at_an_empty_bucket_sees_nothing(ground: Ground) {
    let looked = ground.look(10).await;
    assert!(looked.notes.is_empty() && !looked.more);
    assert_eq!((looked.after, looked.due_in), (None, None));
}

async fn a_look_sees_what_is_ready_and_takes_nothing(ground: Ground) {
    ground.add_n("mail", 3).await;
    ground.add_n("pay", 2).await;
    for _ in 0..2 {
        let looked = ground.look(10).await;
        assert_eq!(lots(&looked.notes), ["5:mail:3", "5:pay:2"]);
        assert!(looked.notes.iter().all(|note| note.ready_at == ground.now()));
        assert!(!looked.more);
    }
    assert_eq!(ground.grab(ground.stranger(), "mail", 9).await.len(), 3);
}

async fn a_look_sees_the_most_urgent_first_then_the_oldest(ground: Ground) {
    ground.add_n("mail", 1).await;
    ground.pass_s(1);
    ground.add_n("pay", 2).await;
    ground.pass_s(1);
    ground.add_n("mail", 1).await;
    ground.add(NewTask { priority: Priority::URGENT, ..ground.task("late") }).await;
    ground.add(NewTask { priority: Priority::LAST, ..ground.task("never") }).await;
    let notes = ground.look(10).await.notes;
    let place = |note: &Note| (note.priority, note.ready_at);
    assert!(notes.is_sorted_by_key(place), "{notes:?}");
    assert_eq!(lots(&notes), ["0:late:1", "5:mail:1", "5:pay:2", "5:mail:1", "9:never:1"]);
}

async fn a_look_keeps_to_its_bucket(ground: Ground) {
    let bucket = Bucket::new("west").unwrap();
    ground.add(NewTask { bucket: bucket.clone(), ..ground.task("mail") }).await;
    assert!(ground.look(10).await.notes.is_empty());
    let look = Look { bucket, n_max: 10 };
    assert_eq!(lots(&expect(ground.store.look(look)).await.notes), ["5:mail:1"]);
}

async fn every_bucket_with_something_ready_is_listed(ground: Ground) {
    assert!(expect(ground.store.buckets()).await.is_empty());
    for (name, when) in [("west", When::Now), ("east", When::Now), ("later", in_s(9))] {
        for _ in 0..3 {
            let bucket = Bucket::new(name).unwrap();
            ground.add(NewTask { bucket, when, ..ground.task("mail") }).await;
        }
    }
    let names: Vec<_> = expect(ground.store.buckets()).await.iter().map(ToString::to_string).collect();
    assert_eq!(names, ["east", "west"]);
}

async fn a_look_reads_no_further_than_its_window(ground: Ground) {
    ground.add_n("mail", 5).await;
    for (n_max, seen, more) in [(4, "5:mail:4", true), (5, "5:mail:5", false), (6, "5:mail:5", false)] {
        let looked = ground.look(n_max).await;
        assert_eq!((lots(&looked.notes), looked.more), (vec![seen.to_owned()], more));
    }
}

async fn a_look_sees_only_ready_tasks(ground: Ground) {
    ground.running(ground.stranger()).await;
    ground.parked(ground.stranger()).await;
    ground.add(NewTask { when: in_s(1), ..ground.task("mail") }).await;
    ground.add(NewTask { serial: Some("one".into()), ..ground.task("mail") }).await;
    assert!(ground.look(10).await.notes.is_empty());
}

async fn a_look_tells_suspects_apart(ground: Ground) {
    let task = ground.running(ground.stranger()).await;
    let change = Change { lost: 2, ..to(&task, To::Run(When::Now)) };
    let _ = ground.finish(task.fence().unwrap(), Cause::Dead, change).await;
    ground.add_n("mail", 1).await;
    assert_eq!(lots(&ground.look(10).await.notes), ["5:mail:1", "5:mail:1 suspect"]);
}

async fn a_look_says_when_the_next_task_of_any_bucket_is_due(ground: Ground) {
    let bucket = Bucket::new("west").unwrap();
    ground.add(NewTask { when: in_s(50), ..ground.task("mail") }).await;
    ground.add(NewTask { when: in_s(20), bucket, ..ground.task("mail") }).await;
    assert_eq!(ground.look(10).await.due_in, Some(s(20)));
    ground.pass_s(30);
    assert_eq!(ground.look(10).await.due_in, Some(s(0)));
}

async fn a_look_behind_sees_own_kinds_that_are_not_full(ground: Ground) {
    ground.add_n("full", 5).await;
    ground.add_n("foreign", 5).await;
    ground.pass_s(1);
    ground.add_n("mail", 5).await;
    ground.add_n("pay", 5).await;
    ground.add_n("pay|PARTNER", 1).await;
    ground.add_n("payer", 1).await;
    let looked = ground.look_behind(100, &["full", "pay"], &["full"], None).await;
    assert_eq!(lots(&looked.notes), ["5:pay:5", "5:pay|PARTNER:1"]);
    assert_eq!(looked.after, None);
    let looked = ground.look_behind(100, &["ma*", "x*"], &[], None).await;
    assert_eq!(lots(&looked.notes), ["5:mail:5"]);
}

async fn a_look_behind_an_empty_bucket_sees_nothing(ground: Ground) {
    let looked = ground.look_behind(10, &["mail"], &[], None).await;
    assert!(looked.notes.is_empty() && looked.after.is_none());
}

async fn a_look_behind_shares_its_window_out_among_kinds(ground: Ground) {
    ground.add_n("mail", 50).await;
    ground.add_n("pay", 50).await;
    let looked = ground.look_behind(20, &["mail", "pay"], &[], None).await;
    assert_eq!(lots(&looked.notes), ["5:mail:10", "5:pay:10"]);
    let looked = ground.look_behind(20, &["mail", "pay"], &["pay"], None).await;
    assert_eq!(lots(&looked.notes), ["5:mail:20"]);
}

async fn a_look_behind_sees_the_most_urgent_of_a_kind_first(ground: Ground) {
    ground.add(NewTask { priority: Priority::LAST, ..ground.task("mail") }).await;
    ground.pass_s(1);
    let ready_at = ground.now();
    ground.add_n("mail", 2).await;
    ground.pass_s(1);
    ground.add_n("mail", 2).await;
    let notes = ground.look_behind(2, &["mail"], &[], None).await.notes;
    let seen: Vec<_> = notes.iter().map(|note| (note.priority, note.ready_at, note.n)).collect();
    assert_eq!(seen, [(Priority::default(), ready_at, 2)]);
}

async fn a_look_behind_tells_suspects_apart(ground: Ground) {
    let task = ground.running(ground.stranger()).await;
    let change = Change { lost: 2, ..to(&task, To::Run(When::Now)) };
    let _ = ground.finish(task.fence().unwrap(), Cause::Dead, change).await;
    let looked = ground.look_behind(10, &["mail"], &[], None).await;
    assert_eq!(lots(&looked.notes), ["5:mail:1 suspect"]);
}

async fn a_round_behind_full_kinds_meets_every_own_kind(ground: Ground) {
    let kinds: Vec<String> = (0..150).map(|n| format!("kind {n:03}")).collect();
    ground.add_all(kinds.iter().map(|kind| ground.task(kind)).collect()).await;
    ground.add_all((0..150).map(|n| ground.task(&format!("foreign {n}"))).collect()).await;
    let (mut seen, mut after, mut looks) = (Vec::new(), None, 0);
    loop {
        let looked = ground.look_behind(1000, &["kind *"], &["kind 007"], after).await;
        let behind: Vec<String> = looked.notes.iter().map(|note| note.kind.to_string()).collect();
        assert!(behind.len() <= 64, "a look is bounded");
        seen.extend(behind);
        looks += 1;
        after = looked.after;
        if after.is_none() {
            break;
        }
        assert!(looks < 10, "a round ends");
    }
    seen.sort();
    let wanted: Vec<String> = kinds.into_iter().filter(|kind| kind != "kind 007").collect();
    assert_eq!(seen, wanted);
}
