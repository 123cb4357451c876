//! From the end of a run to the accepted finish and the freed slot.

use super::Dispatcher;
use super::runs::Stop;
use crate::error::Result;
use crate::news::News;
use crate::sweeper::Poke;
use std::collections::BTreeSet;
use steadfast_core::abort::{self, Point};
use steadfast_core::seam::{Finish, Finished};
use steadfast_core::{Bucket, Status, StoreError};

/// Most finishes in one batch.
const BATCH_MAX: usize = 1000;

impl Dispatcher {
    /// Sends the finishes that have gathered, unless some are under way. Runs that were stopped for want of contact
    /// wait until the lease is renewed.
    pub(crate) fn send_finishes(&mut self) {
        if self.finishing || self.finishes.is_empty() {
            return;
        }
        let mut batch: Vec<Finish> = std::mem::take(&mut self.finishes);
        if !self.has_lease() {
            let waits = |finish: &Finish| {
                self.runs.get(&finish.fence.task).is_some_and(|entry| entry.stop == Some(Stop::Lease))
            };
            let (wait, go) = batch.into_iter().partition(waits);
            (self.finishes, batch) = (wait, go);
        }
        let rest = batch.split_off(batch.len().min(BATCH_MAX));
        self.finishes.extend(rest);
        if batch.is_empty() {
            return;
        }
        self.finishing = true;
        let (shared, news) = (self.shared.clone(), self.news.clone());
        self.shared.spawn(async move {
            let result = shared.store.finish(batch.clone()).await;
            match &result {
                Ok(_) => abort::pass(Point::FinishCommitted),
                Err(_) => shared.backoff(2).await,
            }
            let _ = news.send(News::Finished(batch, result));
        });
    }

    pub(crate) fn finished(&mut self, finishes: Vec<Finish>, result: Result<Vec<Finished>, StoreError>) {
        self.finishing = false;
        let answers = match result {
            Ok(answers) => answers,
            Err(error) => return self.finish_failed(finishes, &error),
        };
        let mut rung = BTreeSet::new();
        for (finish, answer) in finishes.iter().zip(answers) {
            match answer {
                Finished::Accepted { status: Status::Ready, .. } => rung.extend(self.runs_again(finish)),
                Finished::Accepted { status: Status::Waiting | Status::Parked, .. } => self.poke(Poke::Due),
                Finished::Accepted { .. } => {}
                Finished::Lost => tracing::warn!(
                    task = %finish.fence.task, grant = %finish.fence.grant, "grant lost, outcome dropped"
                ),
            }
            self.remove(finish.fence.task);
        }
        for bucket in rung {
            self.desk(&bucket).want_look();
            self.shared.hints.ring(self.shared.look_hint(bucket));
        }
    }

    /// A finish that may not have got through is sent again: the fence makes a repeat harmless. One that can never
    /// pass is left to the deadline, and the run's slot is freed.
    fn finish_failed(&mut self, finishes: Vec<Finish>, error: &StoreError) {
        if error.may_pass() {
            tracing::warn!(%error, n = finishes.len(), "finish failed, trying again");
            self.finishes.extend(finishes);
            return;
        }
        tracing::error!(%error, n = finishes.len(), "finish refused");
        for finish in finishes {
            self.remove(finish.fence.task);
        }
    }

    /// A task that is ready at once may be of another kind by now: the store knows, so it is looked at.
    fn runs_again(&self, finish: &Finish) -> Option<Bucket> {
        self.place_of(finish.fence.task).map(|(bucket, ..)| bucket)
    }

    /// Lets the next task of each serial key come forward whose head may have gone.
    pub(crate) fn send_releases(&mut self) {
        if self.freed_keys.is_empty() {
            return;
        }
        let keys: Vec<String> = std::mem::take(&mut self.freed_keys).into_iter().collect();
        let (shared, news, sweeper) = (self.shared.clone(), self.news.clone(), self.sweeper.clone());
        self.shared.spawn(async move {
            let n_max = keys.len();
            match shared.store.release(Some(keys), None, n_max).await {
                Ok(released) => {
                    for bucket in
                        released.notes.iter().map(|(bucket, _)| bucket.clone()).collect::<BTreeSet<_>>()
                    {
                        shared.hints.ring(shared.look_hint(bucket));
                    }
                    let _ = news.send(News::Notes(released.notes));
                    if let Some(wait) = released.due_in {
                        let _ = sweeper.send(Poke::DueIn(wait));
                    }
                }
                // The sweep comes by all keys.
                Err(error) => tracing::warn!(%error, "release failed"),
            }
        });
    }
}
