use crate::NOW;
use proptest::prelude::*;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use steadfast_core::{Refusal, Time, When};

fn check(system: SystemTime, expected: Result<i64, i128>) {
    let seen = Time::from_system("due", system).map(Time::micros);
    assert_eq!(seen, expected.map_err(|micros| Refusal::Time { what: "due", micros }));
}

#[test]
fn a_system_time_is_taken_if_it_can_be_kept() {
    let last = Duration::from_micros(Time::MAX.micros().unsigned_abs());
    check(UNIX_EPOCH, Ok(0));
    check(UNIX_EPOCH + Duration::from_nanos(1999), Ok(1));
    check(UNIX_EPOCH + last, Ok(Time::MAX.micros()));
    check(UNIX_EPOCH + last + Duration::from_micros(1), Err(253_402_300_800_000_000));
    check(UNIX_EPOCH - Duration::from_micros(1), Err(-1));
    check(UNIX_EPOCH - Duration::from_secs(1), Err(-1_000_000));
}

#[test]
fn time_out_of_range_is_refused_with_its_name() {
    let refusal = Time::from_system("due", UNIX_EPOCH - Duration::from_secs(1)).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "due -1000000 µs since 1970 is out of range; use a time from 1970 to 9999"
    );
}

#[test]
fn a_moment_moved_too_far_stays_the_last_one() {
    assert_eq!(NOW.after(Duration::MAX), Time::MAX);
    assert_eq!(Time::MAX.after(Duration::from_micros(1)), Time::MAX);
    assert_eq!(
        Time::from_micros(i64::MAX).since(Time::from_micros(i64::MIN)),
        Duration::from_micros(u64::MAX >> 1)
    );
}

#[test]
fn when_goes_by_the_clock_it_is_given() {
    assert_eq!(When::Now.on(NOW), NOW);
    assert_eq!(When::After(Duration::from_micros(5)).on(NOW).micros(), NOW.micros() + 5);
    assert_eq!(When::At(Time::MIN).on(NOW), Time::MIN);
}

proptest! {
    #[test]
    fn after_and_since_undo_each_other(at in 0i64..1 << 56, wait in 0u64..1 << 56) {
        let (at, wait) = (Time::from_micros(at), Duration::from_micros(wait));
        prop_assert_eq!(at.after(wait).since(at), wait);
        prop_assert_eq!(at.since(at.after(wait)), Duration::ZERO);
    }
}
