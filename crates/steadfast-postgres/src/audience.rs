//! Whether anybody elsewhere would hear a ring.
//!
//! Each ring is a transaction of its own beside the one that it tells of. A service of one process, which runs what it
//! adds, needs none of them. Those who listen are workers, and workers have rows: whoever reads the policies of kinds, as all
//! who add and all who run do each second, reads whether a worker lives that is none of this store's.
//!
//! A worker that has just started may not be told of what is added until then: its sweep finds that within a second.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use steadfast_core::WorkerId;
use uuid::Uuid;

/// How long it is believed that nobody else is there.
const BELIEVED: Duration = Duration::from_secs(2);
/// Most own workers that are remembered: one an engine, and one more each time that it had to start anew.
const OWN_MAX: usize = 100;

#[derive(Debug, Default)]
pub(crate) struct Audience(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// They hear of hints without a ring.
    own: VecDeque<Uuid>,
    /// When it was asked for the last time, if nobody else was there.
    alone_at: Option<Instant>,
}

impl Audience {
    /// A worker of this store's is about to be there.
    pub(crate) fn joined_by(&self, worker: WorkerId) {
        let mut state = self.state();
        let own = &mut state.own;
        if !own.contains(&worker.uuid()) {
            own.push_back(worker.uuid());
        }
        if own.len() > OWN_MAX {
            own.pop_front();
        }
    }

    /// The workers of this store.
    pub(crate) fn own(&self) -> Vec<Uuid> {
        self.state().own.iter().copied().collect()
    }

    /// Takes word of what was asked then.
    pub(crate) fn tell(&self, others: bool, asked_at: Instant) {
        self.state().alone_at = (!others).then_some(asked_at);
    }

    /// Whether somebody may listen: yes, as long as it is not known better.
    pub(crate) fn may_be_there(&self) -> bool {
        self.state().alone_at.is_none_or(|asked_at| asked_at.elapsed() > BELIEVED)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_there_unless_it_was_seen_lately_that_nobody_is() {
        let check = |told: Option<(bool, Duration)>, there: bool| {
            let audience = Audience::default();
            if let Some((others, ago)) = told {
                audience.tell(others, Instant::now().checked_sub(ago).unwrap());
            }
            assert_eq!(audience.may_be_there(), there, "{told:?}");
        };
        check(None, true);
        check(Some((true, Duration::ZERO)), true);
        check(Some((false, Duration::ZERO)), false);
        check(Some((false, BELIEVED + Duration::from_millis(1))), true);
    }

    #[test]
    fn only_so_many_workers_are_remembered_and_each_once() {
        let audience = Audience::default();
        for n in 0..=OWN_MAX as u64 {
            let worker = WorkerId::new(5, [n, n]);
            audience.joined_by(worker);
            audience.joined_by(worker);
        }
        let own = audience.own();
        assert_eq!(own.len(), OWN_MAX);
        assert_eq!(own[0], WorkerId::new(5, [1, 1]).uuid(), "the oldest is forgotten");
    }
}
