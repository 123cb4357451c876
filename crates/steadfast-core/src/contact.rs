//! Whether a worker may judge others: only one in unbroken contact with the store may reap.

use crate::time::Time;
use std::time::Duration;

/// The database's clock may differ from ours by this much between two renews before it counts as a jump.
const JUMP_MAX: Duration = Duration::from_secs(1);
/// Intervals that others get to renew in after a jump: a whole lease. Their leases are of the time before it. Whoever
/// renewed right before it is next heard of an interval later, which is when one that renewed right after it might
/// reap if it waited for an interval only.
const AFTER_JUMP: u32 = 3;

/// An unbroken row of renews, as long as it is one. Times are of the worker's monotonic clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contact {
    interval: Duration,
    since: Duration,
    last: Duration,
    store_last: Time,
}

impl Contact {
    /// The first renew of a row, sent at `now`, with this time between renews; the store's clock said `store_now`.
    pub const fn new(interval: Duration, now: Duration, store_now: Time) -> Self {
        Self { interval, since: now, last: now, store_last: store_now }
    }

    /// Another renew got through. If it came late, the row begins with it; if the store's clock jumped, later.
    #[must_use]
    pub fn renewed(self, now: Duration, store_now: Time) -> Self {
        let (ours, theirs) = (now.saturating_sub(self.last), store_now.since(self.store_last));
        let jumped = store_now < self.store_last || ours.abs_diff(theirs) > JUMP_MAX;
        let since = if jumped {
            now.saturating_add(self.interval * (AFTER_JUMP - 1))
        } else if ours > self.late() {
            self.since.max(now)
        } else {
            self.since
        };
        Self { since, last: now, store_last: store_now, ..self }
    }

    /// After an outage the first one back would reap all others: it waits until they could have renewed too.
    pub fn may_reap(self, now: Duration) -> bool {
        let fresh = now.saturating_sub(self.last) <= self.late();
        fresh && self.last.saturating_sub(self.since) >= self.interval
    }

    fn late(self) -> Duration {
        self.interval * 3 / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Renews at these seconds of our clock and the store's; may it reap so long after the last?
    fn check(renews: &[(u32, u32)], later: Duration, expected: bool) {
        let times = |&(ours, theirs): &(u32, u32)| (ours * SECOND, Time::MIN.after(theirs * SECOND));
        let (first, rest) = renews.split_first().unwrap();
        let (now, store_now) = times(first);
        let contact = rest
            .iter()
            .map(times)
            .fold(Contact::new(5 * SECOND, now, store_now), |contact, (now, store_now)| {
                contact.renewed(now, store_now)
            });
        let last = renews.last().map_or(Duration::ZERO, |(ours, _)| *ours * SECOND);
        assert_eq!(contact.may_reap(last + later), expected, "{renews:?}");
    }

    #[test]
    fn only_unbroken_contact_of_an_interval_may_reap() {
        check(&[(0, 0)], SECOND / 2, false);
        check(&[(0, 0), (5, 5)], SECOND / 2, true);
        check(&[(0, 0), (4, 4)], SECOND / 2, false);
        check(&[(0, 0), (5, 5), (13, 13)], SECOND / 2, false);
        check(&[(0, 0), (5, 5), (13, 13), (18, 18)], SECOND / 2, true);
        check(&[(0, 0), (5, 7)], SECOND / 2, false);
        check(&[(0, 9), (5, 5)], SECOND / 2, false);
    }

    #[test]
    fn a_jump_of_the_clock_leaves_others_a_lease_to_renew_in() {
        check(&[(0, 0), (5, 605), (10, 610)], SECOND / 2, false);
        check(&[(0, 0), (5, 605), (10, 610), (15, 615)], SECOND / 2, false);
        check(&[(0, 0), (5, 605), (10, 610), (15, 615), (20, 620)], SECOND / 2, true);
        check(&[(0, 600), (5, 5), (10, 10), (15, 15)], SECOND / 2, false);
        check(&[(0, 600), (5, 5), (10, 10), (15, 15), (20, 20)], SECOND / 2, true);
        // A late renew in between makes the wait no shorter.
        check(&[(0, 0), (5, 605), (13, 613), (18, 618)], SECOND / 2, false);
        check(&[(0, 0), (5, 605), (13, 613), (18, 618), (20, 620)], SECOND / 2, true);
    }

    #[test]
    fn silence_ends_the_right_to_reap() {
        check(&[(0, 0), (5, 5)], 7 * SECOND, true);
        check(&[(0, 0), (5, 5)], 8 * SECOND, false);
    }
}
