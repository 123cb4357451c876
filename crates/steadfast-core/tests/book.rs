//! Books of users: asked when a task is taken, told exactly once when that is over.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::each_seed;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use steadfast_core::{Book, Kind, Lane, Limit, Limits, Note, Priority, Room, Table, Time};

/// Two at once, and it says no to every third that asks.
#[derive(Default)]
struct Moody {
    asked: AtomicUsize,
    booked: AtomicUsize,
    freed: AtomicUsize,
}

impl Moody {
    fn used(&self) -> usize {
        self.booked.load(Ordering::SeqCst) - self.freed.load(Ordering::SeqCst)
    }
}

impl Book for Moody {
    fn book(&self, _: &Kind, _: Priority) -> Room {
        if self.asked.fetch_add(1, Ordering::SeqCst) % 3 == 2 {
            return Room::No { again_in: Some(Duration::from_millis(10)) };
        }
        if self.used() >= 2 {
            return Room::No { again_in: None };
        }
        self.booked.fetch_add(1, Ordering::SeqCst);
        Room::Yes
    }

    fn free(&self, _: &Kind) {
        self.freed.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn whatever_is_booked_is_freed_once_and_the_rest_with_the_table() {
    let (asked, plain) = (Kind::new("asked").unwrap(), Kind::new("plain").unwrap());
    each_seed(20_000, |chance| {
        let book = Arc::new(Moody::default());
        let mut limits = Limits::new(4);
        let gate = limits.add(Limits::ROOT, Limit::each(usize::MAX));
        limits.assign(asked.clone(), gate);
        limits.ask(asked.clone(), book.clone());
        let mut table = Table::new(limits, 100);
        let mut held = Vec::new();
        for at in 0..chance.below(30) {
            let kind = chance.of(&[asked.clone(), plain.clone()]).clone();
            let ready_at = Time::from_micros(i64::try_from(at).unwrap());
            match chance.below(6) {
                0 | 1 => table.note(&Note {
                    kind,
                    priority: Priority::default(),
                    ready_at,
                    lane: Lane::Plain,
                    n: 1,
                }),
                2 | 3 => held.extend(table.pick().map(|(kind, _, _)| kind)),
                4 if table.book(&kind, Lane::Plain, Priority::default()) => held.push(kind),
                4 => table.open(gate),
                _ if held.is_empty() => table.open(gate),
                _ => {
                    let kind = held.swap_remove(chance.below(held.len()));
                    if chance.below(2) == 0 {
                        table.free(&kind, Lane::Plain);
                    } else {
                        table.undo(&kind, Lane::Plain);
                    }
                }
            }
            assert_eq!(book.used(), held.iter().filter(|kind| **kind == asked).count());
        }
        drop(table);
        assert_eq!(book.used(), 0, "a slot leaked");
    });
}

#[test]
fn a_book_that_says_no_holds_up_its_own_kind_alone_until_it_is_asked_again() {
    struct Never;
    impl Book for Never {
        fn book(&self, _: &Kind, _: Priority) -> Room {
            Room::No { again_in: Some(Duration::from_millis(10)) }
        }
        fn free(&self, _: &Kind) {
            panic!("nothing was booked");
        }
    }
    let (asked, plain) = (Kind::new("asked").unwrap(), Kind::new("plain").unwrap());
    let mut limits = Limits::new(4);
    let gate = limits.add(Limits::ROOT, Limit::each(usize::MAX));
    limits.assign(asked.clone(), gate);
    limits.ask(asked.clone(), Arc::new(Never));
    let mut table = Table::new(limits, 100);
    for (kind, at) in [(&asked, 0), (&asked, 1), (&plain, 2)] {
        let (priority, ready_at) = (Priority::default(), Time::from_micros(at));
        table.note(&Note { kind: kind.clone(), priority, ready_at, lane: Lane::Plain, n: 1 });
    }
    assert_eq!(table.pick().unwrap().0, plain);
    assert!(table.pick().is_none());
    assert_eq!(table.take_refused(), [(asked.clone(), Duration::from_millis(10))]);
    table.open(gate);
    assert!(table.pick().is_none());
    assert_eq!(table.take_refused().len(), 1, "it was asked again");
}

#[test]
fn a_book_that_panics_says_no() {
    struct Panics;
    impl Book for Panics {
        fn book(&self, _: &Kind, _: Priority) -> Room {
            panic!("a user's own fault");
        }
        fn free(&self, _: &Kind) {}
    }
    let kind = Kind::new("asked").unwrap();
    let mut limits = Limits::new(4);
    let gate = limits.add(Limits::ROOT, Limit::each(usize::MAX));
    limits.assign(kind.clone(), gate);
    limits.ask(kind.clone(), Arc::new(Panics));
    assert!(!limits.book(&kind, Lane::Plain, Priority::default()));
    assert!(limits.get(gate).shut);
}
