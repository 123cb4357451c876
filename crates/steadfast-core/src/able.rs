//! Workers that would run a task, and what keeps them from it.

use crate::offer::{Offer, Offered};
use crate::seam::WorkerRow;
use crate::task::Task;
use crate::time::Time;
use crate::why::Why;
use crate::worker_limit::{Limit, Of};

/// A worker that handles the task's kind, and what it runs now.
pub(crate) struct Able<'a> {
    task: &'a Task,
    offer: &'a Offer,
    offered: &'a Offered,
    /// Of the task's bucket: each bucket has a tree of limits of its own.
    runs: Vec<&'a Task>,
}

/// A limit that is full in one worker.
struct Full<'a> {
    limit: &'a Limit,
    runs: Vec<&'a Task>,
    max: usize,
}

impl<'a> Able<'a> {
    pub(crate) fn new(row: &'a WorkerRow, task: &'a Task, running: &'a [Task]) -> Option<Self> {
        let offered = row.offer.find(&task.kind)?;
        let here = |run: &&Task| run.worker == Some(row.worker) && run.bucket == task.bucket;
        Some(Self { task, offer: &row.offer, offered, runs: running.iter().filter(here).collect() })
    }

    fn slots(&self) -> usize {
        self.offer.slots_of(&self.task.bucket)
    }

    /// The widest limit that has no room for the task.
    fn full(&self) -> Option<Full<'a>> {
        self.offered.limits.iter().find_map(|limit| {
            let max = limit.max_for(self.task.priority);
            let runs: Vec<&Task> = self.runs.iter().copied().filter(|run| self.counts(limit, run)).collect();
            (runs.len() >= max).then_some(Full { limit, runs, max })
        })
    }

    /// Whether a limit of the task's handler counts a run.
    fn counts(&self, limit: &Limit, run: &Task) -> bool {
        let handler = self.offer.find(&run.kind);
        match limit.whose() {
            Of::Handler => handler == Some(self.offered),
            Of::Named(_) => handler
                .is_some_and(|handler| handler.limits.iter().any(|other| other.whose() == limit.whose())),
            Of::Each => run.kind == self.task.kind,
        }
    }
}

/// What has no room for the task on any worker: limits, or the workers themselves.
pub(crate) fn full(able: &[Able<'_>], now: Time) -> Option<Why> {
    full_limits(able, now).or_else(|| full_workers(able))
}

fn full_limits(able: &[Able<'_>], now: Time) -> Option<Why> {
    let full: Vec<Full<'_>> = able.iter().map(Able::full).collect::<Option<_>>()?;
    let (first, found) = (able.first()?, full.first()?);
    let runs = || full.iter().flat_map(|full| &full.runs);
    let (running, max) = (runs().count(), full.iter().map(|full| full.max).sum());
    let oldest = now.since(runs().map(|run| run.changed_at).min().unwrap_or(now));
    let kind_full = |kind: &str| Why::KindFull { kind: kind.to_owned(), running, limit: max, oldest };
    Some(match found.limit.whose() {
        Of::Handler => kind_full(&first.offered.kind),
        Of::Each => kind_full(first.task.kind.as_str()),
        Of::Named(name) => Why::LimitFull { limit: name.clone(), running, max, oldest },
    })
}

fn full_workers(able: &[Able<'_>]) -> Option<Why> {
    let running = able.iter().map(|one| one.runs.len()).sum();
    let slots = able.iter().map(Able::slots).sum();
    able.iter().all(|one| one.runs.len() >= one.slots()).then_some(Why::WorkersFull { running, slots })
}

/// Who has room and still lets tasks start only now and then, on every worker.
pub(crate) fn in_time(able: &[Able<'_>]) -> Option<Why> {
    let kind = able.first()?.offered.kind.clone();
    if able.iter().all(|one| one.offered.booked) {
        return Some(Why::Booked { kind });
    }
    let rates = able.iter().map(|one| one.offered.limits.iter().find_map(Limit::pace));
    let rates: Vec<_> = rates.collect::<Option<_>>()?;
    Some(Why::Paced { kind, rate: rates.first()?.to_string() })
}
