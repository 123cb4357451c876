//! This worker's contact with the store: written by the lease loop, read by the sweep.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use steadfast_core::{Contact, Time, WorkerId};

/// Who we are to the store, and since when it has heard from us without a break.
#[derive(Debug)]
pub(crate) struct InContact {
    interval: Duration,
    state: Mutex<(Option<WorkerId>, Option<Contact>)>,
}

impl InContact {
    /// With this time between renews.
    pub(crate) fn new(interval: Duration) -> Self {
        Self { interval, state: Mutex::default() }
    }

    /// The worker has a name, and a lease from now on.
    pub(crate) fn registered(&self, worker: WorkerId, now: Duration, store_now: Time) {
        self.state().0 = Some(worker);
        self.renewed(now, store_now);
    }

    /// A renew got through, sent at `now`; the store's clock said `store_now`.
    pub(crate) fn renewed(&self, now: Duration, store_now: Time) {
        let contact = &mut self.state().1;
        *contact = Some(match *contact {
            Some(contact) => contact.renewed(now, store_now),
            None => Contact::new(self.interval, now, store_now),
        });
    }

    /// A renew failed.
    pub(crate) fn broken(&self) {
        self.state().1 = None;
    }

    /// In whose name this worker may reap; none if it may not.
    pub(crate) fn may_reap(&self, now: Duration) -> Option<WorkerId> {
        let (worker, contact) = *self.state();
        worker.filter(|_| contact.is_some_and(|contact| contact.may_reap(now)))
    }

    fn state(&self) -> MutexGuard<'_, (Option<WorkerId>, Option<Contact>)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_failed_renew_ends_the_right_to_reap() {
        let contact = InContact::new(5 * SECOND);
        let worker = WorkerId::new(0, [1, 2]);
        contact.registered(worker, Duration::ZERO, Time::MIN);
        assert_eq!(contact.may_reap(SECOND), None);
        contact.renewed(5 * SECOND, Time::MIN.after(5 * SECOND));
        assert_eq!(contact.may_reap(6 * SECOND), Some(worker));
        contact.broken();
        assert_eq!(contact.may_reap(6 * SECOND), None);
    }
}
