//! Where the heads of queues lie: among the open ones, which may have room, or under the limit that stopped them.

use super::Line;
use crate::limits::LimitId;
use crate::priority::Priority;
use crate::time::Time;
use std::collections::{BTreeMap, BTreeSet};

/// The first task of a queue, in the order in which tasks are picked.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Head {
    pub(super) priority: Priority,
    pub(super) ready_at: Time,
    pub(super) line: Line,
}

/// Where one lies.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) shut: Option<LimitId>,
    pub(super) head: Head,
}

#[derive(Debug, Default)]
pub(super) struct Heads {
    open: BTreeSet<Head>,
    shut: BTreeMap<LimitId, BTreeSet<Head>>,
    /// Heads put into or taken out of a set: what a test counts instead of time.
    #[cfg(test)]
    pub(super) moves: usize,
}

impl Heads {
    pub(super) fn first_open(&self) -> Option<&Head> {
        self.open.first()
    }

    /// The best of those that wait for a limit.
    pub(super) fn first_shut(&self, limit: LimitId) -> Option<&Head> {
        self.shut.get(&limit)?.first()
    }

    /// Whether none waits for any limit.
    pub(super) fn are_open(&self) -> bool {
        self.shut.is_empty()
    }

    /// All that wait for a limit, taken away.
    pub(super) fn take_shut(&mut self, limit: LimitId) -> BTreeSet<Head> {
        self.shut.remove(&limit).unwrap_or_default()
    }

    /// Puts a head where it belongs.
    pub(super) fn put(&mut self, place: Place) {
        #[cfg(test)]
        self.count_move();
        match place.shut {
            None => self.open.insert(place.head),
            Some(limit) => self.shut.entry(limit).or_default().insert(place.head),
        };
    }

    /// Takes a head from where it lies. A limit for which none waits any more is forgotten.
    pub(super) fn withdraw(&mut self, place: &Place) {
        #[cfg(test)]
        self.count_move();
        let Some(limit) = place.shut else {
            self.open.remove(&place.head);
            return;
        };
        let Some(waiting) = self.shut.get_mut(&limit) else { return };
        waiting.remove(&place.head);
        if waiting.is_empty() {
            self.shut.remove(&limit);
        }
    }

    pub(super) fn clear(&mut self) {
        self.open.clear();
        self.shut.clear();
    }

    #[cfg(test)]
    fn count_move(&mut self) {
        self.moves += 1;
    }
}
