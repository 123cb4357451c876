//! Removing what is past its time, in bounded numbers.

use crate::state::State;
use std::time::Duration;
use steadfast_core::seam::{Clean, Cleaned};
use steadfast_core::{Fence, Key, Receipt, TaskId, Time, WorkerId};

impl State {
    /// Removes at most `n_max` rows of each sort.
    pub(crate) fn clean(&mut self, clean: &Clean, now: Time) -> Cleaned {
        Cleaned {
            history: self.clean_history(clean, now),
            keys: self.clean_keys(clean, now),
            receipts: self.clean_receipts(clean, now),
            workers: self.clean_workers(clean, now),
            recalls: self.clean_recalls(clean),
        }
    }

    fn clean_history(&mut self, clean: &Clean, now: Time) -> usize {
        let old = self.ended.iter().take_while(|(ended_at, _)| is_past(*ended_at, clean.history, now));
        let ids: Vec<TaskId> = old.take(clean.n_max).map(|(_, id)| *id).collect();
        for id in &ids {
            self.forget(*id);
        }
        ids.len()
    }

    fn clean_keys(&mut self, clean: &Clean, now: Time) -> usize {
        let old = self.keys.iter().filter(|(_, row)| row.is_expired(now));
        let keys: Vec<Key> = old.take(clean.n_max).map(|(key, _)| key.clone()).collect();
        for key in &keys {
            self.keys.remove(key);
        }
        keys.len()
    }

    fn clean_receipts(&mut self, clean: &Clean, now: Time) -> usize {
        let old = self.receipts.iter().filter(|(_, row)| is_past(row.written_at, clean.receipts, now));
        let receipts: Vec<Receipt> = old.take(clean.n_max).map(|(receipt, _)| *receipt).collect();
        for receipt in &receipts {
            self.receipts.remove(receipt);
        }
        receipts.len()
    }

    /// A dead worker that still runs something stays, so that people can see whose run it was.
    fn clean_workers(&mut self, clean: &Clean, now: Time) -> usize {
        let old = self.workers.values().filter(|row| {
            row.dead && is_past(row.lease_until, clean.workers, now) && self.index.running_n(row.worker) == 0
        });
        let workers: Vec<WorkerId> = old.take(clean.n_max).map(|row| row.worker).collect();
        for worker in &workers {
            self.workers.remove(worker);
        }
        workers.len()
    }

    /// A worker without a live row never asks for its recalls again.
    fn clean_recalls(&mut self, clean: &Clean) -> usize {
        let gone = self.recalls.iter().filter(|(worker, _)| !self.is_live(**worker));
        let fences: Vec<Fence> = gone.flat_map(|(_, fences)| fences).take(clean.n_max).copied().collect();
        for fence in &fences {
            self.drop_handled(fence.worker, &[*fence]);
        }
        fences.len()
    }
}

fn is_past(time: Time, keep: Duration, now: Time) -> bool {
    now.since(time) > keep
}
