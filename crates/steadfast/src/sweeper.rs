//! The loop that finds what no hint told of: ready tasks, strays of dead workers, and what is past its time to keep.

use crate::contact::InContact;
use crate::news::News;
use crate::settle::RECEIPTS_KEPT;
use crate::shared::Shared;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use steadfast_core::abort::{self, Point};
use steadfast_core::seam::{Cause, Clean, Cleaned, Finish, Finished, Stray};
use steadfast_core::{Hint, StoreError, WorkerId, lost, overdue};
use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedSender;

/// Most tasks that one statement of a sweep moves; what is left is done at once after it.
const BATCH_MAX: usize = 1000;
/// How often things past their time are removed.
const CLEAN_EVERY: Duration = Duration::from_secs(60);
/// Rows of each sort that one cleaning removes before it lets others write; twice as many each time that was too few.
const CLEAN_FIRST: usize = 500;
/// Most rows of each sort that one cleaning removes, however large the backlog.
const CLEAN_MAX: usize = 8000;
/// How long a dead worker's row is kept for people to see.
pub(crate) const DEAD_KEPT: Duration = Duration::from_secs(3600);
pub(crate) struct Sweeper {
    pub(crate) shared: Arc<Shared>,
    pub(crate) news: UnboundedSender<News>,
    pub(crate) contact: Arc<InContact>,
    /// A grab came back empty: its bucket may be paused.
    pub(crate) ask_pauses: Arc<Notify>,
}

/// When the loop acts next, by the monotonic clock.
struct Plan {
    sweep_at: Duration,
    clean_at: Duration,
    /// How many rows the next cleaning removes.
    clean_n: usize,
    /// Whether the last reap left some to the next, which comes sooner then.
    passed_over: bool,
}

impl Sweeper {
    pub(crate) async fn work(self) {
        let now = self.shared.now();
        let mut plan =
            Plan { sweep_at: now, clean_at: now + CLEAN_EVERY, clean_n: CLEAN_FIRST, passed_over: false };
        loop {
            let now = self.shared.now();
            if now >= plan.sweep_at {
                self.sweep(&mut plan).await;
                // A little sooner than the look of this sweep grows old, so that births need not pause in between.
                let sweep = self.shared.config.sweep;
                let pause = if plan.passed_over { sweep / 5 } else { sweep * 9 / 10 };
                plan.sweep_at = (now + pause).max(self.shared.now() + sweep / 10);
            }
            if now >= plan.clean_at {
                self.clean(&mut plan).await;
            }
            if self.rest(&plan).await {
                return;
            }
        }
    }

    /// Waits for the next thing to do. True when the engine is over.
    async fn rest(&self, plan: &Plan) -> bool {
        let wait = plan.sweep_at.min(plan.clean_at).saturating_sub(self.shared.now());
        tokio::select! {
            biased;
            () = self.shared.over.cancelled() => return true,
            () = self.ask_pauses.notified() => self.pauses().await,
            () = self.shared.runtime.sleep(wait), if !wait.is_zero() => {}
            () = std::future::ready(()), if wait.is_zero() => {}
        }
        false
    }

    /// What must not depend on hints, once a second.
    async fn sweep(&self, plan: &mut Plan) {
        let buckets = self.shared.store.buckets().await.unwrap_or_else(|error| {
            tracing::warn!(%error, "buckets not read");
            Vec::new()
        });
        self.pauses().await;
        let _ = self.news.send(News::Sweep(buckets));
        plan.passed_over = false;
        match (self.shared.policies.refresh().await, self.contact.may_reap(self.shared.now())) {
            (Ok(()), Some(worker)) => {
                plan.passed_over = left_some(self.reap(worker).await);
            }
            (Ok(()), None) => {}
            // Without its rules nobody may judge a task.
            (Err(error), _) => tracing::warn!(%error, "policies not read"),
        }
    }

    /// Tells the dispatcher which buckets are paused.
    async fn pauses(&self) {
        match self.shared.store.paused_buckets().await {
            Ok(paused) => drop(self.news.send(News::Paused(paused))),
            Err(error) => tracing::warn!(%error, "paused buckets not read"),
        }
    }

    /// Takes tasks from the dead and from runs past their deadline. Core decides what becomes of each; the write
    /// repeats the whole condition, as another sweep may have been faster. Says whether some were passed over: a worker
    /// that was stopped inside a transaction holds them until the server ends its session, which is soon.
    async fn reap(&self, worker: WorkerId) -> Result<bool, StoreError> {
        loop {
            let strays = self.shared.store.strays(worker, BATCH_MAX).await?;
            if strays.is_empty() {
                return Ok(false);
            }
            abort::pass(Point::ReapMarked);
            let n = strays.len();
            let finishes: Vec<Finish> = strays.iter().filter_map(|stray| self.shared.judge(stray)).collect();
            let answers = self.shared.store.finish(finishes.clone()).await?;
            let taken =
                finishes.iter().zip(&answers).filter(|(_, answer)| **answer != Finished::Lost).count();
            tracing::warn!(taken, "tasks taken from workers that died or runs that hang");
            for finish in finishes.iter().filter(|finish| finish.cause == Cause::Overdue) {
                self.shared.hints.ring(Hint::Recall(finish.fence.worker));
            }
            for key in strays.into_iter().filter_map(|stray| stray.task.serial).collect::<BTreeSet<_>>() {
                let _ = self.news.send(News::Hint(Hint::Release(key)));
            }
            // Ready at once, here and elsewhere.
            let _ = self.news.send(News::Sweep(Vec::new()));
            self.shared.hints.ring(Hint::LookAll);
            if n < BATCH_MAX || taken == 0 {
                return Ok(taken < finishes.len());
            }
        }
    }

    /// Removes what is past its time. While there is more than it may remove, it goes on soon and with more at once, so
    /// that cleaning keeps up with any load; a pause between batches leaves the store to those who work.
    async fn clean(&self, plan: &mut Plan) {
        let clean = Clean {
            history: self.shared.config.history,
            receipts: RECEIPTS_KEPT,
            workers: DEAD_KEPT,
            n_max: plan.clean_n,
        };
        let cleaned = self.shared.store.clean(clean).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "clean failed");
            Cleaned::default()
        });
        let (n, wait) = after_clean(plan.clean_n, cleaned, self.shared.config.sweep);
        plan.clean_n = n;
        plan.clean_at = self.shared.now() + wait;
    }
}

impl Shared {
    /// What becomes of a stray.
    pub(crate) fn judge(&self, stray: &Stray) -> Option<Finish> {
        let fence = stray.task.fence()?;
        let policy = self.policies.of(&stray.task.kind);
        let change = match stray.cause {
            Cause::Dead => lost(&stray.task, &policy),
            Cause::Overdue if policy.lets_hang(&stray.task) => return None,
            Cause::Overdue => overdue(&stray.task, &policy, self.runtime.random()),
            Cause::Holder => return None,
        };
        Some(Finish { fence, cause: stray.cause, change })
    }
}

/// Whether a reap left something to the next, which is worth an earlier look.
fn left_some(reaped: Result<bool, StoreError>) -> bool {
    reaped.unwrap_or_else(|error| {
        tracing::warn!(%error, "reap failed");
        // Whoever is in the way will be gone soon; a store that is down is left in peace.
        matches!(error, StoreError::Busy(_))
    })
}

/// How many rows the next cleaning removes, and how soon it comes.
fn after_clean(n: usize, cleaned: Cleaned, sweep: Duration) -> (usize, Duration) {
    let full = cleaned.history.max(cleaned.keys).max(cleaned.receipts) >= n;
    if full { ((n * 2).min(CLEAN_MAX), sweep / 10) } else { (CLEAN_FIRST, CLEAN_EVERY) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SWEEP: Duration = Duration::from_secs(1);

    #[test]
    fn a_reap_that_somebody_was_in_the_way_of_comes_again_soon() {
        assert!(left_some(Ok(true)));
        assert!(!left_some(Ok(false)));
        assert!(left_some(Err(StoreError::Busy("a lock".into()))));
        assert!(!left_some(Err(StoreError::Down("no route".into()))));
    }

    /// What each cleaning removes of what is past its time, until one comes back with less than it might.
    fn check(mut left: Cleaned, expected: &[(usize, usize, usize)]) {
        let (mut n, mut wait, mut seen) = (CLEAN_FIRST, SWEEP / 10, Vec::new());
        while wait < CLEAN_EVERY {
            assert_eq!(wait, SWEEP / 10, "a pause between batches leaves the store to others");
            let take = |left: &mut usize| {
                let taken = n.min(*left);
                *left -= taken;
                taken
            };
            let (history, keys) = (take(&mut left.history), take(&mut left.keys));
            let cleaned = Cleaned { history, keys, receipts: take(&mut left.receipts), ..Cleaned::default() };
            seen.push((cleaned.history, cleaned.keys, cleaned.receipts));
            (n, wait) = after_clean(n, cleaned, SWEEP);
        }
        assert_eq!(seen, expected);
        assert_eq!(
            (n, left),
            (CLEAN_FIRST, Cleaned::default()),
            "all is gone, and the next one starts small"
        );
    }

    #[test]
    fn cleaning_doubles_its_batch_up_to_a_bound_while_there_is_more() {
        let left = |history, keys, receipts| Cleaned { history, keys, receipts, ..Cleaned::default() };
        check(left(0, 0, 0), &[(0, 0, 0)]);
        check(left(499, 7, 0), &[(499, 7, 0)]);
        // A full batch may have been the last; only another look can tell.
        check(left(500, 0, 0), &[(500, 0, 0), (0, 0, 0)]);
        check(left(0, 600, 100), &[(0, 500, 100), (0, 100, 0)]);
        check(left(0, 0, 1600), &[(0, 0, 500), (0, 0, 1000), (0, 0, 100)]);
        let sizes = [500, 1000, 2000, 4000, CLEAN_MAX, CLEAN_MAX, 7];
        check(left(sizes.iter().sum(), 0, 0), &sizes.map(|n| (n, 0, 0)));
    }
}
