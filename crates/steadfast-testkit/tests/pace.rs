//! Limits and rates over a minute of simulated time.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::time::Duration;
use steadfast::{Limit, Rate};
use steadfast_testkit::Shown;
use steadfast_testkit::sim::{Pace, Paced};

const MINUTE: Duration = Duration::from_secs(60);

fn minute(limit: impl Into<Limit>, work_ms: u64) -> Paced {
    let work = Duration::from_millis(work_ms);
    Pace { limit: limit.into(), work, backlog: 10_000, others: 50, time: MINUTE }.run()
}

/// No window of a second has more starts than come in it and were saved up before.
fn most_in_a_second(starts: &[Duration]) -> usize {
    let within = |start: &Duration| {
        starts.iter().filter(|other| **other >= *start && **other < *start + Duration::from_secs(1)).count()
    };
    starts.iter().map(within).max().unwrap_or(0)
}

#[test]
fn five_a_second_and_three_at_once_hold_over_a_minute() {
    let paced = minute(Limit::own(3).rate(Rate::per_second(5)), 400);
    let n = paced.starts.len();
    Shown {
        promise: "G9 limits",
        store: "memory",
        done: "a backlog of 10,000 under 5 a second and 3 at once, a simulated minute".into(),
        seen: format!("{n} starts, at most {} at once", paced.most),
        bar: "300 +- 5 %, 3".into(),
        ok: (285..=315).contains(&n) && paced.most <= 3,
    }
    .hold();
    assert!(most_in_a_second(&paced.starts) <= 6);
}

#[test]
fn each_start_comes_when_its_token_does() {
    let paced = minute(Rate::new(7, Duration::from_secs(2)).burst(3), 1);
    let first = paced.starts[0];
    for (at, start) in paced.starts.iter().enumerate() {
        // The first three were saved up.
        let due = Duration::from_secs(2) * u32::try_from(at.saturating_sub(2)).unwrap() / 7;
        let start = start.saturating_sub(first);
        let late = start.saturating_sub(due);
        assert!(late < Duration::from_millis(2), "start {at} was {late:?} late");
        assert!(start + Duration::from_micros(1) >= due, "start {at} was early");
    }
    assert!(paced.starts.len() >= 209, "{}", paced.starts.len());
}

#[test]
fn ten_thousand_behind_a_rate_hold_up_nobody() {
    for limit in [Rate::per_second(5).into(), Limit::own(3).rate(Rate::per_second(5)), Limit::own(2)] {
        let paced = minute(limit, 400);
        assert_eq!(paced.waits.len(), 50);
        let longest = paced.waits.iter().max().unwrap();
        assert!(*longest < Duration::from_millis(5), "one of another kind waited for {longest:?}");
    }
}
