//! The worker's lease as the dispatcher sees it: may it take tasks, which runs must stop, what does it not know.

use super::Dispatcher;
use super::runs::{Entry, Stop};
use crate::news::{Lease, News};
use std::time::Duration;
use steadfast_core::seam::{Cause, Finish};
use steadfast_core::{Fence, Task, WorkerId, give_back};

/// This worker, with the end of its lease by the monotonic clock.
pub(crate) struct Seat {
    pub(crate) worker: WorkerId,
    ends: Duration,
}

impl Dispatcher {
    pub(crate) fn has_lease(&self) -> bool {
        self.seat.as_ref().is_some_and(|seat| self.shared.now() < seat.ends)
    }

    pub(crate) fn is_me(&self, worker: WorkerId) -> bool {
        self.seat.as_ref().is_some_and(|seat| seat.worker == worker)
    }

    pub(crate) fn lease(&mut self, lease: Lease) {
        match lease {
            Lease::Registered { worker, ends } => {
                self.seat = Some(Seat { worker, ends });
                self.strangers.clear();
                self.given_up.clear();
                let buckets: Vec<_> = self.buckets();
                for bucket in buckets {
                    self.desk(&bucket).want_look();
                }
            }
            Lease::Renewed { ends, recalls, running } => self.renewed(ends, recalls, running),
            Lease::AtRisk => self.leave(Stop::Lease),
            Lease::Dead => {
                tracing::warn!("worker was declared dead, its runs are lost");
                self.leave(Stop::Lost);
            }
        }
    }

    /// Stops all runs. Nothing is taken any more until the lease is renewed, or there is another one.
    fn leave(&mut self, why: Stop) {
        if let Some(seat) = &mut self.seat {
            seat.ends = Duration::ZERO;
        }
        self.stop_all(why);
    }

    fn renewed(&mut self, ends: Duration, recalls: Vec<Fence>, running: usize) {
        let Some(seat) = &mut self.seat else { return };
        seat.ends = ends;
        let worker = seat.worker;
        for recall in recalls {
            self.recall(recall);
        }
        let known = self.runs.values().flat_map(Entry::fences).filter(|fence| fence.worker == worker).count();
        if self.asking || (running == known && self.strangers.is_empty()) {
            return;
        }
        self.asking = true;
        let (shared, news) = (self.shared.clone(), self.news.clone());
        self.shared.spawn(async move {
            let held = shared.store.held(worker).await;
            let held = held.inspect_err(|error| tracing::warn!(%error, "held tasks not read")).ok();
            let _ = news.send(News::Held(worker, held));
        });
    }

    /// Compares what the store says with what we know. A task that was unknown at two looks, with no grab or birth
    /// of that age under way, came from a call whose answer was lost: it is given back.
    pub(crate) fn held(&mut self, worker: WorkerId, tasks: Option<Vec<Task>>) {
        self.asking = false;
        let Some(tasks) = tasks.filter(|_| self.is_me(worker)) else { return };
        let seen = std::mem::take(&mut self.strangers);
        for task in tasks {
            let Some(fence) = task.fence() else { continue };
            let entry = self.runs.get(&task.id);
            let known = entry.is_some_and(|entry| entry.fences().any(|known| known == fence));
            if known || self.given_up.contains(&fence) {
                continue;
            }
            let since = seen.get(&fence).copied().unwrap_or(self.next_flight + 1);
            let settled =
                seen.contains_key(&fence) && self.flights.first().is_none_or(|oldest| *oldest >= since);
            if settled {
                tracing::warn!(task = %task.id, "held without knowing it, given back");
                let change = give_back(&task, &self.policy(&task.kind), false);
                self.finishes.push(Finish { fence, cause: Cause::Holder, change });
            } else {
                self.strangers.insert(fence, since);
            }
        }
    }

    /// The buckets that this worker serves: those of its handlers, and all it has met.
    fn buckets(&self) -> Vec<steadfast_core::Bucket> {
        let own = self.shared.handlers.buckets();
        own.into_iter().chain(self.desks.keys().cloned()).collect()
    }
}
