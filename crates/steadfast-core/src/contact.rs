//! Whether a worker may judge others: only one in unbroken contact with the store may reap.

use crate::time::Time;
use std::time::Duration;

/// The database's clock may differ from ours by this much between two renews before it counts as a jump.
const JUMP_MAX: Duration = Duration::from_secs(1);
/// Intervals that others get to renew in after a jump: a whole lease. Their leases are of the time before it. Whoever
/// renewed right before it is next heard of an interval later, which is when one that renewed right after it might
/// reap if it waited for an interval only.
const AFTER_JUMP: u32 = 3;

/// The renews of a worker, and since when they are an unbroken row. Times are of its monotonic clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contact {
    interval: Duration,
    since: Duration,
    last: Heard,
    is_broken: bool,
}

/// One renew that got through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heard {
    /// When it was sent, by the worker's monotonic clock.
    pub sent: Duration,
    /// When its answer was there, by the same clock.
    pub answered: Duration,
    /// What the store's clock said in between.
    pub store_now: Time,
}

impl Contact {
    /// The first renew of a row, with this time between renews.
    pub const fn new(interval: Duration, first: Heard) -> Self {
        Self { interval, since: first.sent, last: first, is_broken: false }
    }

    /// A renew failed. What came before is remembered: a clock may jump while nobody gets through.
    #[must_use]
    pub const fn broken(self) -> Self {
        Self { is_broken: true, ..self }
    }

    /// Another renew got through. If it came late or after a failure, the row begins with it; if the store's clock
    /// jumped, later.
    #[must_use]
    pub fn renewed(self, heard: Heard) -> Self {
        let since = if heard.jumped_since(self.last) {
            heard.sent.saturating_add(self.interval * (AFTER_JUMP - 1))
        } else if self.is_broken || heard.sent.saturating_sub(self.last.sent) > self.late() {
            self.since.max(heard.sent)
        } else {
            self.since
        };
        Self { since, last: heard, is_broken: false, ..self }
    }

    /// After an outage the first one back would reap all others: it waits until they could have renewed too.
    pub fn may_reap(self, now: Duration) -> bool {
        let fresh = now.saturating_sub(self.last.sent) <= self.late();
        fresh && !self.is_broken && self.last.sent.saturating_sub(self.since) >= self.interval
    }

    fn late(self) -> Duration {
        self.interval * 3 / 2
    }
}

impl Heard {
    /// Whether the store's clock went another way than ours. A slow answer is no jump: the store looked at its clock
    /// at any time between the sending and the answer.
    fn jumped_since(self, before: Self) -> bool {
        let least = self.sent.saturating_sub(before.answered).saturating_sub(JUMP_MAX);
        let most = self.answered.saturating_sub(before.sent).saturating_add(JUMP_MAX);
        let theirs = self.store_now.since(before.store_now);
        self.store_now < before.store_now || theirs < least || theirs > most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Answered at once, at these seconds of our clock and the store's.
    fn heard(ours: u32, theirs: u32) -> Heard {
        slow(ours, ours, theirs)
    }

    fn slow(sent: u32, answered: u32, theirs: u32) -> Heard {
        let store_now = Time::MIN.after(theirs * SECOND);
        Heard { sent: sent * SECOND, answered: answered * SECOND, store_now }
    }

    /// All renews of a row, the first at zero.
    fn contact(renews: &[Heard]) -> Contact {
        let (first, rest) = renews.split_first().unwrap();
        rest.iter().copied().fold(Contact::new(5 * SECOND, *first), Contact::renewed)
    }

    /// Renews at these seconds of our clock and the store's; may it reap so long after the last?
    fn check(renews: &[(u32, u32)], later: Duration, expected: bool) {
        let renews: Vec<Heard> = renews.iter().map(|(ours, theirs)| heard(*ours, *theirs)).collect();
        let contact = contact(&renews);
        assert_eq!(contact.may_reap(contact.last.sent + later), expected, "{renews:?}");
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
    fn a_failed_renew_neither_shortens_the_wait_after_a_jump_nor_hides_one() {
        let before = contact(&[heard(0, 0)]);
        for jumped in [before.renewed(heard(5, 605)).broken(), before.broken().renewed(heard(5, 605))] {
            let contact =
                [heard(6, 606), heard(11, 611), heard(16, 616)].into_iter().fold(jumped, Contact::renewed);
            assert!(!contact.may_reap(17 * SECOND));
            assert!(contact.renewed(heard(20, 620)).may_reap(20 * SECOND));
        }
    }

    #[test]
    fn a_slow_answer_is_no_jump() {
        for slow in [slow(5, 8, 5), slow(5, 8, 8)] {
            assert!(contact(&[heard(0, 0), slow]).may_reap(8 * SECOND), "{slow:?}");
            assert!(contact(&[heard(0, 0), slow, heard(10, 10)]).may_reap(10 * SECOND), "{slow:?}");
        }
        assert!(!contact(&[heard(0, 0), slow(5, 8, 10)]).may_reap(8 * SECOND));
    }

    #[test]
    fn silence_ends_the_right_to_reap() {
        check(&[(0, 0), (5, 5)], 7 * SECOND, true);
        check(&[(0, 0), (5, 5)], 8 * SECOND, false);
    }
}
