use crate::{NOW, new_task, now_and};
use std::time::Duration;
use steadfast_core::limit::{CONTEXT_BYTES_MAX, TEXT_BYTES_MAX};
use steadfast_core::{Bucket, Key, KeySpace, Kind, NewTask, Payload, Priority, Status, Task, Time, When};

fn check(change: impl FnOnce(&mut NewTask), expected: &str) {
    let mut new = new_task();
    change(&mut new);
    let seen = new.check(10).map_or_else(|refusal| refusal.to_string(), |()| "fine".to_owned());
    assert_eq!(seen, expected);
}

#[test]
fn a_plain_task_is_fine() {
    check(|_| (), "fine");
    check(|new| new.payload = Payload::bytes(*b""), "fine");
    check(|new| new.when = When::At(Time::MIN), "fine");
    check(|new| new.when = When::At(Time::MAX), "fine");
    check(|new| new.step = Some("x".repeat(TEXT_BYTES_MAX)), "fine");
    check(|new| drop(new.context.insert("trace".into(), String::new())), "fine");
}

#[test]
fn every_text_is_checked_and_named() {
    type Set = fn(&mut NewTask, String);
    let fields: [(&str, Set); 6] = [
        ("subkind", |new, text| new.subkind = Some(text)),
        ("step", |new, text| new.step = Some(text)),
        ("key", |new, text| new.key = Some(Key::key(text))),
        ("serial", |new, text| new.serial = Some(text)),
        ("search1", |new, text| new.search1 = Some(text)),
        ("search2", |new, text| new.search2 = Some(text)),
    ];
    for (name, set) in fields {
        check(|new| set(new, String::new()), &format!("{name} is empty; give it at least one character"));
        check(
            |new| set(new, "x".repeat(251)),
            &format!("{name} has 251 bytes, at most 250 are allowed; shorten it"),
        );
        check(
            |new| set(new, "a\u{7}b".into()),
            &format!("{name} holds the control character '\\u{{7}}' at byte 1; remove it"),
        );
    }
    check(|new| new.key = Some(Key::id("")), "key is empty; give it at least one character");
}

#[test]
fn a_payload_over_the_limit_is_refused() {
    check(|new| new.payload = Payload::bytes([0; 10]), "fine");
    check(
        |new| new.payload = Payload::bytes([0; 11]),
        "payload of 11 bytes is over the limit of 10; store it elsewhere and pass a reference",
    );
}

#[test]
fn a_time_that_cannot_be_kept_is_refused() {
    check(
        |new| new.when = When::At(Time::from_micros(-1)),
        "time -1 µs since 1970 is out of range; use a time from 1970 to 9999",
    );
    check(
        |new| new.when = When::At(Time::from_micros(i64::MAX)),
        "time 9223372036854775807 µs since 1970 is out of range; use a time from 1970 to 9999",
    );
    check(
        |new| new.when = When::After(Duration::from_secs(1_000_000_000_000)),
        "time 1000000000000000000 µs since 1970 is out of range; use a time from 1970 to 9999",
    );
}

#[test]
fn a_context_is_checked_name_by_name_and_as_a_whole() {
    let put = |name: &str, value: &str| {
        let (name, value) = (name.to_owned(), value.to_owned());
        move |new: &mut NewTask| drop(new.context.insert(name, value))
    };
    check(put("", "x"), "context name is empty; give it at least one character");
    check(put("a\nb", "x"), "context name holds the control character '\\n' at byte 1; remove it");
    check(put("a", "x\0"), "context value holds the control character '\\0' at byte 1; remove it");
    check(
        put("a", &"x".repeat(CONTEXT_BYTES_MAX + 1)),
        "context value has 16385 bytes, at most 16384 are allowed; shorten it",
    );
    check(put("a", &"x".repeat(CONTEXT_BYTES_MAX - 1)), "fine");
    check(
        put("a", &"x".repeat(CONTEXT_BYTES_MAX)),
        "context has 16385 bytes, at most 16384 are allowed; shorten it",
    );
}

#[test]
fn a_kind_a_bucket_and_a_priority_cannot_be_made_wrong() {
    let text = |refusal: steadfast_core::Refusal| refusal.to_string();
    let long = "x".repeat(201);
    assert_eq!(text(Kind::new("").unwrap_err()), "kind is empty; give it at least one character");
    assert_eq!(
        text(Kind::new(&long).unwrap_err()),
        "kind has 201 bytes, at most 200 are allowed; shorten it"
    );
    assert_eq!(
        text(Kind::from_bytes(b"a\xff").unwrap_err()),
        "kind is not UTF-8 (byte 1); encode it as UTF-8"
    );
    assert_eq!(
        text(Bucket::new(&long[..101]).unwrap_err()),
        "bucket has 101 bytes, at most 100 are allowed; shorten it"
    );
    assert_eq!(text(Bucket::new("").unwrap_err()), "bucket is empty; give it at least one character");
    for priority in [-1, 10, i64::MAX] {
        assert_eq!(
            text(Priority::new(priority).unwrap_err()),
            format!("priority {priority} is out of range; use 0 (most urgent) to 9")
        );
    }
}

#[test]
fn a_handler_is_found_by_what_stands_before_the_bar() {
    for (kind, base) in [("PAY|PARTNER", "PAY"), ("PAY", "PAY"), ("PAY|A|B", "PAY")] {
        assert_eq!(Kind::new(kind).unwrap().base(), base);
    }
}

#[test]
fn an_added_task_waits_is_ready_or_is_held() {
    let later = When::After(Duration::from_secs(9));
    for (when, serial, status, due_at) in [
        (When::Now, None, Status::Ready, NOW),
        (When::At(Time::MIN), None, Status::Ready, Time::MIN),
        (later, None, Status::Waiting, now_and(9)),
        (When::Now, Some("account"), Status::Held, NOW),
        (later, Some("account"), Status::Held, now_and(9)),
    ] {
        let new = NewTask { when, serial: serial.map(str::to_owned), ..new_task() };
        let task = Task::added(new, 7, NOW);
        assert_eq!((task.status, task.due_at, task.base_at), (status, due_at, due_at));
        assert_eq!(task.ready_at, due_at.max(NOW), "nothing passes what became ready before it was added");
        assert_eq!((task.attempt, task.grant.get(), task.version.get(), task.worker), (0, 0, 0, None));
    }
}

#[test]
fn key_spaces_do_not_meet_and_come_back_from_their_codes() {
    assert_ne!(Key::key("7"), Key::id("7"));
    for space in [KeySpace::Id, KeySpace::Key] {
        assert_eq!(KeySpace::from_code(space.code().into()), Some(space));
    }
    assert_eq!(KeySpace::from_code(3), None);
}
