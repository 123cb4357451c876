//! This worker's contact with the store: written by the lease loop, read by the sweep.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use steadfast_core::{Contact, Heard, WorkerId};

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
    pub(crate) fn registered(&self, worker: WorkerId, heard: Heard) {
        self.state().0 = Some(worker);
        self.renewed(heard);
    }

    /// A renew got through.
    pub(crate) fn renewed(&self, heard: Heard) {
        let contact = &mut self.state().1;
        *contact = Some(match *contact {
            Some(contact) => contact.renewed(heard),
            None => Contact::new(self.interval, heard),
        });
    }

    /// A renew failed.
    pub(crate) fn broken(&self) {
        let contact = &mut self.state().1;
        *contact = contact.map(Contact::broken);
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
    use steadfast_core::Time;

    const SECOND: Duration = Duration::from_secs(1);

    fn heard(seconds: u32) -> Heard {
        let at = seconds * SECOND;
        Heard { sent: at, answered: at, store_now: Time::MIN.after(at) }
    }

    #[test]
    fn a_failed_renew_ends_the_right_to_reap() {
        let contact = InContact::new(5 * SECOND);
        let worker = WorkerId::new(0, [1, 2]);
        contact.registered(worker, heard(0));
        assert_eq!(contact.may_reap(SECOND), None);
        contact.renewed(heard(5));
        assert_eq!(contact.may_reap(6 * SECOND), Some(worker));
        contact.broken();
        assert_eq!(contact.may_reap(6 * SECOND), None);
        contact.renewed(heard(7));
        assert_eq!(contact.may_reap(11 * SECOND), None);
        contact.renewed(heard(12));
        assert_eq!(contact.may_reap(12 * SECOND), Some(worker));
    }
}
