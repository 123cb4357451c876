//! What runs in this worker: one entry from the grant to the accepted finish, with its slot.

use super::Dispatcher;
use crate::lot::{self, Start};
use crate::runner::End;
use steadfast_core::seam::{Cause, Finish};
use steadfast_core::{Bucket, Fence, Kind, Lane, Task, give_back};
use tokio_util::sync::CancellationToken;

/// A task that this worker holds.
pub(crate) struct Entry {
    pub(crate) fence: Fence,
    bucket: Bucket,
    kind: Kind,
    lane: Lane,
    serial: Option<String>,
    cancel: CancellationToken,
    /// Why it was told to stop, if it was.
    pub(crate) stop: Option<Stop>,
    /// A newer grant of the same task, which waits for this run to end.
    next: Option<Box<Task>>,
}

impl Entry {
    /// The grants of the task that this worker knows of: the one that runs and the one that waits for its end.
    pub(crate) fn fences(&self) -> impl Iterator<Item = Fence> {
        std::iter::once(self.fence).chain(self.next.as_ref().and_then(|next| next.fence()))
    }
}

/// Why a run is told to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The grant is lost: whatever the handler says is dropped.
    Lost,
    /// The worker may be out of contact when its lease ends: given back once it has renewed.
    Lease,
    /// The worker drains.
    Drain,
}

impl Dispatcher {
    /// Starts a granted task whose slot is booked.
    pub(crate) fn start(&mut self, task: Box<Task>) {
        let Some(fence) = task.fence() else { return };
        // Known from now on. If it is parked before the next look answers with what it read before that, it must not be
        // given back: a parked task keeps its grant.
        self.strangers.remove(&fence);
        let recalled = self.recalled.remove(&fence).is_some();
        if let Some(old) = self.runs.get_mut(&task.id) {
            let is_newer = |known: Fence| known.worker == fence.worker && known.grant > fence.grant;
            if old.fences().any(is_newer) {
                // Heard too late: it was taken from us since, by ourselves.
                return self.free_slot(&task.bucket, &task.kind, task.lane());
            }
            // We still run it under a grant that is lost. Never two at once in one process.
            old.stop = Some(Stop::Lost);
            old.cancel.cancel();
            if recalled {
                return self.free_slot(&task.bucket, &task.kind, task.lane());
            }
            let passed = old.next.replace(task);
            if let Some(passed) = passed {
                self.free_slot(&passed.bucket, &passed.kind, passed.lane());
            }
            return;
        }
        let entry = Entry {
            fence,
            bucket: task.bucket.clone(),
            kind: task.kind.clone(),
            lane: task.lane(),
            serial: task.serial.clone(),
            cancel: CancellationToken::new(),
            stop: None,
            next: None,
        };
        let cancel = entry.cancel.clone();
        self.runs.insert(task.id, entry);
        if recalled || !self.is_me(fence.worker) {
            // It was taken away again before we heard that we had it.
            return self.remove(fence);
        }
        let handler = self.shared.handlers.find(&task.kind).cloned();
        let Some(handler) = handler.filter(|_| self.may_grab()) else {
            self.stop(fence, if self.drain.is_some() { Stop::Drain } else { Stop::Lease });
            let change = give_back(&task, &self.policy(&task.kind), false);
            return self.ended(fence, End::Stopped(change));
        };
        self.starts.push(Start { handler, task, fence, cancel });
    }

    /// Starts what was granted since this was last asked.
    pub(crate) fn launch_runs(&mut self) {
        if !self.starts.is_empty() {
            lot::launch(&self.shared, &self.news, &mut self.starts);
        }
    }

    /// A run ended: its finish goes to the next batch, unless its grant is lost.
    pub(crate) fn ended(&mut self, fence: Fence, end: End) {
        let Some(entry) = self.entry(fence) else { return };
        if let End::Over(answer) = end {
            return self.over(&[(fence, answer)]);
        }
        if entry.stop == Some(Stop::Lost) {
            return self.remove(fence);
        }
        let change = match (end, &mut self.drain) {
            (End::Over(_), _) => return,
            (End::Said(change), _) | (End::Stopped(change), None) => change,
            (End::Stopped(change), Some(drain)) => {
                drain.given_back += 1;
                change
            }
        };
        self.finishes.push(Finish { fence, cause: Cause::Holder, change });
    }

    /// Forgets a run that is no longer ours and frees its slot. Another run of the same task is none of its business.
    pub(crate) fn remove(&mut self, fence: Fence) {
        if self.entry(fence).is_none() {
            return;
        }
        let Some(entry) = self.runs.remove(&fence.task) else { return };
        self.free_slot(&entry.bucket, &entry.kind, entry.lane);
        self.freed_keys.extend(entry.serial);
        if let Some(next) = entry.next {
            self.start(next);
        }
    }

    fn entry(&mut self, fence: Fence) -> Option<&mut Entry> {
        self.runs.get_mut(&fence.task).filter(|entry| entry.fence == fence)
    }

    /// Tells a run to stop. The first reason stays, but a lost grant outweighs the others.
    pub(crate) fn stop(&mut self, fence: Fence, why: Stop) {
        let Some(entry) = self.entry(fence) else { return };
        if entry.stop.is_none() || why == Stop::Lost {
            entry.stop = Some(why);
        }
        entry.cancel.cancel();
    }

    pub(crate) fn stop_all(&mut self, why: Stop) {
        for fence in self.runs.values().map(|entry| entry.fence).collect::<Vec<_>>() {
            self.stop(fence, why);
        }
    }

    /// A run was taken from us. One that waits for an older run of its task to end never starts.
    pub(crate) fn recall(&mut self, fence: Fence) {
        let waits = |entry: &&mut Entry| entry.next.as_ref().is_some_and(|next| next.fence() == Some(fence));
        if let Some(next) = self.runs.get_mut(&fence.task).filter(waits).and_then(|entry| entry.next.take()) {
            self.free_slot(&next.bucket, &next.kind, next.lane());
        } else if self.entry(fence).is_some() {
            self.stop(fence, Stop::Lost);
        } else if !self.flights.is_empty() {
            // The recall was faster than the answer to the grab.
            self.recalled.insert(fence, self.next_flight);
        }
    }

    /// The bucket of a run.
    pub(crate) fn bucket_of(&mut self, fence: Fence) -> Option<Bucket> {
        self.entry(fence).map(|entry| entry.bucket.clone())
    }
}
