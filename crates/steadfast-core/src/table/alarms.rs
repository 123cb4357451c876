//! When limits are to be looked at again: at most one time for each.

use crate::limits::LimitId;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

#[derive(Debug, Default)]
pub(super) struct Alarms {
    by_time: BTreeSet<(Duration, LimitId)>,
    times: BTreeMap<LimitId, Duration>,
}

impl Alarms {
    /// Sets one, unless there is one that comes sooner.
    pub(super) fn set(&mut self, limit: LimitId, at: Duration) {
        match self.times.get(&limit) {
            Some(old) if *old <= at => {}
            old => {
                if let Some(old) = old {
                    self.by_time.remove(&(*old, limit));
                }
                self.times.insert(limit, at);
                self.by_time.insert((at, limit));
            }
        }
    }

    /// A limit whose time has come.
    pub(super) fn take_due(&mut self, now: Duration) -> Option<LimitId> {
        let (at, limit) = *self.by_time.first().filter(|(at, _)| *at <= now)?;
        self.by_time.remove(&(at, limit));
        self.times.remove(&limit);
        Some(limit)
    }

    /// The next time.
    pub(super) fn first(&self) -> Option<Duration> {
        self.by_time.first().map(|(at, _)| *at)
    }
}
