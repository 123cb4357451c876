//! A user's own limit that keeps count: whatever became of a run, its slot comes back exactly once.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use steadfast_core::{Book, Kind, Priority, Room};

/// Slots in all nodes together.
const SLOTS: i64 = 3;

#[derive(Debug, Default)]
pub(crate) struct Ledger {
    used: AtomicI64,
    least: AtomicI64,
    asked: AtomicI64,
}

impl Ledger {
    /// Slots that are taken, and what is wrong if more came back than were.
    pub(crate) fn left(&self) -> (u64, Option<String>) {
        let least = self.least.load(Ordering::SeqCst);
        let used = u64::try_from(self.used.load(Ordering::SeqCst)).unwrap_or(0);
        (used, (least < 0).then(|| format!("{least} was the least of a book's slots")))
    }
}

impl Book for Ledger {
    fn book(&self, _: &Kind, _: Priority) -> Room {
        if self.used.load(Ordering::SeqCst) >= SLOTS {
            // One asks again after a while, another when a run ends or the sweep comes.
            let wait = self.asked.fetch_add(1, Ordering::SeqCst) % 2 == 0;
            return Room::No { again_in: wait.then_some(Duration::from_millis(30)) };
        }
        self.used.fetch_add(1, Ordering::SeqCst);
        Room::Yes
    }

    fn free(&self, _: &Kind) {
        let used = self.used.fetch_sub(1, Ordering::SeqCst) - 1;
        self.least.fetch_min(used, Ordering::SeqCst);
    }
}
