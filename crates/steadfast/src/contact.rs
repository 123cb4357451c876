//! Whether this worker may judge others: only one in unbroken contact with the store may reap.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;
use steadfast_core::{Time, WorkerId};

/// The database's clock may differ from ours by this much between two renews before it counts as a jump.
const JUMP_MAX: Duration = Duration::from_secs(1);

/// Written by the lease loop, read by the sweep.
#[derive(Debug)]
pub(crate) struct Contact {
    interval: Duration,
    line: Mutex<Option<Line>>,
    /// Who we are to the store.
    worker: Mutex<Option<WorkerId>>,
}

/// An unbroken row of renews.
#[derive(Debug, Clone, Copy)]
struct Line {
    since: Duration,
    last: Duration,
    store_last: Time,
}

impl Contact {
    /// With this time between renews.
    pub(crate) fn new(interval: Duration) -> Self {
        Self { interval, line: Mutex::new(None), worker: Mutex::new(None) }
    }

    /// The worker has a name, and a lease from now on.
    pub(crate) fn registered(&self, worker: WorkerId, now: Duration, store_now: Time) {
        *self.worker.lock().unwrap_or_else(PoisonError::into_inner) = Some(worker);
        self.renewed(now, store_now);
    }

    /// A renew got through, sent at `now`; the store's clock said `store_now`.
    pub(crate) fn renewed(&self, now: Duration, store_now: Time) {
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        let unbroken = line.filter(|line| {
            let (ours, theirs) = (now.saturating_sub(line.last), store_now.since(line.store_last));
            ours <= self.late() && store_now >= line.store_last && ours.abs_diff(theirs) <= JUMP_MAX
        });
        let since = unbroken.map_or(now, |line| line.since);
        *line = Some(Line { since, last: now, store_last: store_now });
    }

    /// A renew failed.
    pub(crate) fn broken(&self) {
        *self.line.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// After an outage the first one back would reap all others: it waits until they could have renewed too.
    /// Answers in whose name.
    pub(crate) fn may_reap(&self, now: Duration) -> Option<WorkerId> {
        let line = (*self.line.lock().unwrap_or_else(PoisonError::into_inner))?;
        let fresh = now.saturating_sub(line.last) <= self.late();
        let unbroken = line.last.saturating_sub(line.since) >= self.interval;
        let worker = *self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        worker.filter(|_| fresh && unbroken)
    }

    fn late(&self) -> Duration {
        self.interval * 3 / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn known() -> Contact {
        let contact = Contact::new(5 * SECOND);
        *contact.worker.lock().unwrap() = Some(WorkerId::new(0, [1, 2]));
        contact
    }

    /// Renews at these seconds of our clock and the store's; may it reap half a second later?
    fn check(renews: &[(u32, u32)], expected: bool) {
        let contact = known();
        for (ours, theirs) in renews {
            contact.renewed(*ours * SECOND, Time::MIN.after(*theirs * SECOND));
        }
        let last = renews.last().map_or(Duration::ZERO, |(ours, _)| *ours * SECOND);
        assert_eq!(contact.may_reap(last + SECOND / 2).is_some(), expected, "{renews:?}");
    }

    #[test]
    fn only_unbroken_contact_of_an_interval_may_reap() {
        check(&[], false);
        check(&[(0, 0)], false);
        check(&[(0, 0), (5, 5)], true);
        check(&[(0, 0), (4, 4)], false);
        check(&[(0, 0), (5, 5), (13, 13)], false);
        check(&[(0, 0), (5, 5), (13, 13), (18, 18)], true);
        check(&[(0, 0), (5, 7)], false);
        check(&[(0, 9), (5, 5)], false);
    }

    #[test]
    fn silence_and_failure_end_the_right_to_reap() {
        let contact = known();
        contact.renewed(Duration::ZERO, Time::MIN);
        contact.renewed(5 * SECOND, Time::MIN.after(5 * SECOND));
        assert!(contact.may_reap(12 * SECOND).is_some());
        assert!(contact.may_reap(13 * SECOND).is_none());
        contact.broken();
        assert!(contact.may_reap(6 * SECOND).is_none());
    }
}
