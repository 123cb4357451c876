//! From the end of a run to the accepted finish and the freed slot.

use super::Dispatcher;
use super::drain::Drain;
use super::runs::Stop;
use crate::dues::Poke;
use crate::error::Result;
use crate::news::News;
use crate::shared::REPEAT;
use std::collections::BTreeSet;
use steadfast_core::abort::{self, Point};
use steadfast_core::seam::{Finish, Finished};
use steadfast_core::{Fence, Status, StoreError, To};

/// Most finishes in one batch.
const BATCH_MAX: usize = 1000;

impl Dispatcher {
    /// Sends the finishes that have gathered, unless some are under way. Runs that were stopped for want of contact
    /// wait until the lease is renewed; once this worker has left, that will never be.
    pub(crate) fn send_finishes(&mut self) {
        if self.finishing || self.finishes.is_empty() {
            return;
        }
        let mut batch: Vec<Finish> = std::mem::take(&mut self.finishes);
        if !self.has_lease() {
            let waits = |finish: &Finish| {
                self.runs.get(&finish.fence.task).is_some_and(|entry| entry.stop == Some(Stop::Lease))
            };
            let (wait, go): (Vec<_>, Vec<_>) = batch.into_iter().partition(waits);
            batch = go;
            if self.drain.as_ref().is_some_and(Drain::is_over) {
                for finish in wait {
                    self.remove(finish.fence);
                }
            } else {
                self.finishes = wait;
            }
        }
        let n_max = if self.singles > 0 { 1 } else { BATCH_MAX };
        self.singles = self.singles.saturating_sub(1);
        let rest = batch.split_off(batch.len().min(n_max));
        self.finishes.extend(rest);
        if batch.is_empty() {
            return;
        }
        self.finishing = true;
        let shared = self.shared.clone();
        self.call(async move {
            let result = shared.store.finish(batch.clone()).await;
            match &result {
                Ok(_) => abort::pass(Point::FinishCommitted),
                Err(_) => shared.backoff(REPEAT).await,
            }
            News::Finished(batch, result)
        });
    }

    pub(crate) fn finished(&mut self, finishes: Vec<Finish>, result: Result<Vec<Finished>, StoreError>) {
        self.finishing = false;
        let answers = match result {
            Ok(answers) => answers,
            Err(error) => return self.finish_failed(finishes, &error),
        };
        let fences = finishes.iter().map(|finish| finish.fence);
        self.over(&fences.zip(answers).collect::<Vec<_>>());
    }

    /// Runs are over as the store says: their slots are free, and what is ready again is looked at.
    pub(crate) fn over(&mut self, runs: &[(Fence, Finished)]) {
        let mut ready = BTreeSet::new();
        for (fence, answer) in runs {
            match answer {
                // It may be of another kind by now: the store knows, so it is looked at.
                Finished::Accepted { status: Status::Ready, .. } => ready.extend(self.bucket_of(*fence)),
                Finished::Accepted { status: Status::Waiting | Status::Parked, .. } => self.poke(Poke::Due),
                Finished::Accepted { .. } => {}
                Finished::Lost => {
                    tracing::warn!(task = %fence.task, grant = %fence.grant, "grant lost, outcome dropped");
                }
            }
            self.remove(*fence);
        }
        for bucket in &ready {
            self.desk(bucket).want_look();
        }
        self.shared.ring_look(ready);
    }

    /// A finish that may not have got through is sent again: the fence makes a repeat harmless. Of a batch that can
    /// never pass, each is sent alone; the one that is to blame goes to a person.
    fn finish_failed(&mut self, mut finishes: Vec<Finish>, error: &StoreError) {
        if error.may_pass() {
            tracing::warn!(%error, n = finishes.len(), "finish failed, trying again");
        } else if finishes.len() > 1 {
            tracing::error!(%error, n = finishes.len(), "finish refused, trying one by one");
            self.singles = finishes.len();
        } else if let Some(finish) = finishes.iter_mut().find(|finish| finish.change.to != To::Error) {
            tracing::error!(%error, task = %finish.fence.task, "finish refused, the task needs a person");
            finish.change = finish.change.refused(&error.to_string());
        } else {
            for finish in finishes.drain(..) {
                tracing::error!(%error, task = %finish.fence.task, "finish refused twice, left to its deadline");
                self.given_up.insert(finish.fence);
                self.remove(finish.fence);
            }
        }
        finishes.append(&mut self.finishes);
        self.finishes = finishes;
    }

    /// Lets the next task of each serial key come forward whose head may have gone.
    pub(crate) fn send_releases(&mut self) {
        if self.releasing || self.freed_keys.is_empty() {
            return;
        }
        self.releasing = true;
        let keys: Vec<String> = std::mem::take(&mut self.freed_keys).into_iter().collect();
        let (shared, news, dues) = (self.shared.clone(), self.news.clone(), self.dues.clone());
        self.call(async move {
            let left = match shared.store.release(Some(keys.clone()), None, keys.len()).await {
                Ok(released) => {
                    News::tell_ready(&news, released.notes);
                    if let Some(wait) = released.due_in {
                        let _ = dues.send(Poke::DueIn(wait));
                    }
                    Vec::new()
                }
                Err(error) => {
                    tracing::warn!(%error, "release failed, trying again");
                    shared.backoff(REPEAT).await;
                    keys
                }
            };
            News::Released(left)
        });
    }

    pub(crate) fn released(&mut self, left: Vec<String>) {
        self.releasing = false;
        self.freed_keys.extend(left);
    }
}
