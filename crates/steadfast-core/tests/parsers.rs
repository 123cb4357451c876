//! Whatever is read from outside: texts that were cut, mixed and mistyped are refused or read, and what was read is
//! written as it reads.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{Chance, each_seed};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::{Debug, Display};
use std::str::FromStr;
use std::time::Duration;
use steadfast_core::{
    ClusterLimit, Cursor, Errors, Fence, Format, Grant, Limit, Offer, Offered, Policy, Rate, Status, TaskId,
    TraceContext, WorkerId,
};

const CASES: u64 = 20_000;
/// What is put between: digits at the ends of their ranges, signs, and letters of several bytes.
const PIECES: [&str; 16] =
    ["-", ":", "a", "F", "0", "9", "-1", "18446744073709551616", " ", "\"", "{", "]", "\\", "\0", "ß", "🦀"];

/// A text with a few pieces cut, doubled or put between.
fn damaged(chance: &mut Chance, text: &str) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    for _ in 0..chance.below(4) {
        let at = chance.below(letters.len() + 1);
        match chance.below(4) {
            0 => drop(letters.drain(at..(at + chance.below(8)).min(letters.len()))),
            1 => letters.truncate(at),
            2 => drop(letters.splice(at..at, chance.of(&PIECES).chars())),
            _ => drop(letters.splice(at..at, letters.clone())),
        }
    }
    letters.into_iter().collect()
}

fn check<T: FromStr + Display + PartialEq + Debug>(chance: &mut Chance, good: &T) {
    let text = damaged(chance, &good.to_string());
    if let Ok(read) = text.parse::<T>() {
        let again = read.to_string().parse::<T>().ok();
        assert_eq!(again, Some(read), "{text}");
    }
}

fn check_json<T: Serialize + DeserializeOwned + PartialEq + Debug>(chance: &mut Chance, good: &T) {
    let text = damaged(chance, &serde_json::to_string(good).unwrap());
    if let Ok(read) = serde_json::from_str::<T>(&text) {
        let again: T = serde_json::from_str(&serde_json::to_string(&read).unwrap()).unwrap();
        assert_eq!(again, read, "{text}");
    }
}

fn id(chance: &mut Chance) -> TaskId {
    TaskId::new(chance.below(1 << 47) as u64, [chance.below(usize::MAX) as u64, 7])
}

#[test]
fn ids_cursors_tokens_and_statuses() {
    each_seed(CASES, |chance| {
        let (task, worker) = (id(chance), WorkerId::from_uuid(id(chance).uuid()));
        check(chance, &task);
        check(chance, &Cursor(task));
        let grant = Grant::from_i64(i64::try_from(chance.below(1 << 62)).unwrap());
        check(chance, &Fence { task, grant, worker });
        let status = *chance.of(&Status::ALL);
        check(chance, &status);
    });
}

#[test]
fn places_in_a_trace() {
    each_seed(CASES, |chance| {
        let place = TraceContext::new(id(chance).uuid().as_u128(), 1 + chance.below(1 << 62) as u64, true);
        let text = damaged(chance, &place.unwrap().to_string());
        if let Some(read) = TraceContext::parse(&text) {
            assert_eq!(TraceContext::parse(&read.to_string()), Some(read), "{text}");
        }
    });
}

#[test]
fn headers_of_payloads() {
    each_seed(CASES, |chance| {
        let code = i64::try_from(chance.below(1 << 63)).unwrap() >> chance.below(63);
        for code in [code, -code, code ^ i64::MIN] {
            if let Some(format) = Format::from_code(code) {
                assert_eq!(format.code(), code);
            }
        }
    });
}

#[test]
fn what_others_wrote_into_columns() {
    let mut policy = Policy::default();
    policy.owner = Some("größe".into());
    policy.cluster = vec![ClusterLimit { name: "all".into(), max: 3 }];
    let limits = vec![
        Limit::named("all", 30).stretch(2, 20),
        Limit::each(3).rate(Rate::new(7, Duration::from_secs(2))),
    ];
    let kinds = vec![Offered { kind: "pay*".into(), limits, booked: true }];
    let offer = Offer { slots: 256, kinds, ..Offer::default() };
    each_seed(CASES / 4, |chance| {
        check_json(chance, &policy);
        check_json(chance, &offer);
        // Errors are kept even if nobody can read them.
        let text = damaged(chance, &Errors::default().with(3, "boom").to_json().unwrap());
        let read = Errors::from_json(&text);
        assert_eq!(
            read.to_json().map_or_else(Errors::default, |json| Errors::from_json(&json)),
            read,
            "{text}"
        );
    });
}
