//! How many calls of a sort a process has under way at the store.

use crate::checker::Event;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// Calls that gather into the next batch while one is under way; of some the sweeper or the walker has one of its own. Of adds there are
/// as many as the store has writers.
const AT_ONCE: [(&str, u64); 5] = [("add", 2), ("finish", 2), ("release", 2), ("renew", 1), ("save", 1)];

/// Counts, by the name of a call: those under way, and the most that ever were.
#[derive(Debug, Clone, Default)]
pub(crate) struct UnderWay(Arc<Mutex<BTreeMap<&'static str, (u64, u64)>>>);

/// One call; dropped, it is over, whether it was answered or its process crashed.
pub(crate) struct Call {
    counts: UnderWay,
    name: &'static str,
}

impl UnderWay {
    pub(crate) fn begin(&self, name: &'static str) -> Call {
        let mut counts = self.0.lock().unwrap();
        let (now, most) = counts.entry(name).or_default();
        *now += 1;
        *most = (*most).max(*now);
        Call { counts: self.clone(), name }
    }

    /// Whether others of a sort are under way beside the one that asks.
    pub(crate) fn is_beside(&self, name: &str) -> bool {
        self.0.lock().unwrap().get(name).is_some_and(|(now, _)| *now > 1)
    }

    /// What the checker has to know of it.
    pub(crate) fn sizes(&self) -> Vec<Event> {
        let counts = self.0.lock().unwrap();
        let most = |name: &str| counts.get(name).map_or(0, |(_, most)| *most);
        let size = |(name, max)| Event::Size { what: format!("{name}-calls"), n: most(name), max };
        AT_ONCE.into_iter().map(size).collect()
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if let Some((now, _)) = self.counts.0.lock().unwrap().get_mut(self.name) {
            *now -= 1;
        }
    }
}
