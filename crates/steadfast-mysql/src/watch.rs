//! Word of other processes, by asking.
//!
//! These servers have no way to call a listener, and a row that all adders write would be a lock that all of them wait
//! for. So one statement asks what is new, often while there is something, seldom while there is not. It reads the ends
//! of indexes, which cost the same however much lies before them. What one's own process adds is known already.

use crate::cells::{Cells, only};
use crate::columns::{hex_id, list, rows};
use crate::fault::Fallible;
use crate::pool::Pool;
use crate::quiet::Sight;
use crate::row;
use crate::sql::{Sql, params};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use steadfast_core::seam::Ears;
use steadfast_core::{Bucket, Hint, Status, TaskId, WorkerId};
use tokio_util::sync::CancellationToken;

const PROBE: Sql = Sql(include_str!("../sql/probe.sql"));
/// What a row of its answer is about. The first says how things stand; the last sort are recalls.
const ADDED: i64 = 1;
const READY: i64 = 2;

/// How soon it is asked again after there was something.
const PAUSE_MIN: Duration = Duration::from_millis(10);
/// How seldom it is asked at least, so that the first task after a rest starts within a quarter of a second.
const PAUSE_MAX: Duration = Duration::from_millis(225);
/// How long it rests after the server could not be asked.
const PAUSE_DOWN: Duration = Duration::from_secs(1);
/// Most new tasks that are looked at one by one.
const NEWS_MAX: usize = 100;
/// Most of one's own adds that are remembered.
const OWN_MAX: usize = 1000;

/// What this process knows without asking. Clones are the same.
#[derive(Debug, Clone, Default)]
pub(crate) struct Own(Arc<Mutex<Known>>);

#[derive(Debug, Default)]
struct Known {
    /// The numbers of tasks that it added, by the first of each lot.
    seqs: BTreeMap<i64, i64>,
    /// The workers that it registered.
    workers: BTreeSet<WorkerId>,
}

impl Own {
    /// This process adds these.
    pub(crate) fn adds(&self, seqs: &[i64]) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for lot in seqs.chunk_by(|one, next| one + 1 == *next) {
            known.seqs.extend(lot.first().copied().zip(lot.last().copied()));
        }
        while known.seqs.len() > OWN_MAX {
            known.seqs.pop_first();
        }
    }

    /// A worker of this process starts.
    pub(crate) fn starts(&self, worker: WorkerId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).workers.insert(worker);
    }

    /// A worker of this process is gone.
    pub(crate) fn leaves(&self, worker: WorkerId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).workers.remove(&worker);
    }

    fn workers(&self) -> Vec<WorkerId> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).workers.iter().copied().collect()
    }

    fn has_added(&self, seq: i64) -> bool {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.seqs.range(..=seq).next_back().is_some_and(|(_, end)| seq <= *end)
    }
}

/// What was seen last.
struct Watch {
    own: Own,
    /// The highest number of a task.
    seq: i64,
    /// Whether anything was ready.
    ready: bool,
    /// What was taken from workers of this process and not yet dealt with.
    recalls: BTreeSet<(WorkerId, TaskId, i64)>,
}

/// Asks until the store is closed, and tells the ears.
pub(crate) async fn watch(pool: Pool, ears: Ears, over: CancellationToken) {
    let mut watch = Watch { own: pool.setting.own.clone(), seq: -1, ready: false, recalls: BTreeSet::new() };
    let mut pause = PAUSE_MIN;
    loop {
        pause = match watch.ask(&pool).await {
            Ok(hints) if hints.is_empty() => (pause * 2).min(PAUSE_MAX),
            Ok(hints) => {
                for hint in &hints {
                    ears.ring(hint);
                }
                PAUSE_MIN
            }
            Err(fault) => {
                tracing::warn!(error = %fault.sorted(), "nothing is heard of other processes for a moment");
                PAUSE_DOWN
            }
        };
        tokio::select! {
            biased;
            () = over.cancelled() => return,
            () = tokio::time::sleep(pause) => {}
        }
    }
}

impl Watch {
    /// What is new since the last question.
    async fn ask(&mut self, pool: &Pool) -> Fallible<BTreeSet<Hint>> {
        let workers = list(self.own.workers(), |worker| hex_id(worker.uuid()).into());
        let (asked_at, written) = (Instant::now(), pool.setting.quiet.written());
        let given = params![pool.setting.now(), self.seq, rows(NEWS_MAX), workers];
        let found = pool.read(&PROBE, given).await?;
        let (mut hints, mut news) = (BTreeSet::new(), 0);
        let was_ready = std::mem::take(&mut self.ready);
        let known = std::mem::take(&mut self.recalls);
        for row in &found[1.min(found.len())..] {
            match row.int(0)? {
                ADDED => {
                    news += 1;
                    self.seq = self.seq.max(row.int(1)?);
                    hints.extend(self.added(row)?);
                }
                READY => {
                    self.ready = true;
                    hints.extend(if was_ready { None } else { Some(look(row)?) });
                }
                _ => {
                    let recall = (row.worker_id(9)?, row.task_id(10)?, row.int(1)?);
                    hints.extend((!known.contains(&recall)).then_some(Hint::Recall(recall.0)));
                    self.recalls.insert(recall);
                }
            }
        }
        hints.extend((news == NEWS_MAX).then_some(Hint::LookAll));
        pool.setting.quiet.saw(Sight::read(only(&found)?, self.ready, written, asked_at)?);
        Ok(hints)
    }

    /// What to say of a new task; nothing if it is known here, or was born running elsewhere.
    fn added(&self, row: &Cells) -> Fallible<Option<Hint>> {
        if self.own.has_added(row.int(1)?) {
            return Ok(None);
        }
        Ok(match (row::status(row.int(3)?)?, row.owned_or_none(4)?) {
            (Status::Held, Some(serial)) => Some(Hint::Release(serial)),
            (Status::Running, _) => None,
            _ => Some(look(row)?),
        })
    }
}

fn look(row: &Cells) -> Fallible<Hint> {
    Ok(Hint::Look { bucket: Bucket::new(row.text(2)?)?, from: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_adds_are_known_and_others_are_not() {
        let own = Own::default();
        own.adds(&[5, 6, 7, 9]);
        own.adds(&[20]);
        let known: Vec<i64> = (0..30).filter(|seq| own.has_added(*seq)).collect();
        assert_eq!(known, [5, 6, 7, 9, 20]);
    }

    #[test]
    fn only_the_latest_of_own_adds_are_remembered() {
        let own = Own::default();
        for seq in 0..=i64::try_from(OWN_MAX).unwrap() {
            own.adds(&[seq * 2]);
        }
        assert!(!own.has_added(0) && own.has_added(2));
    }
}
