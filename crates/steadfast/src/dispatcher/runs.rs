//! What runs in this worker: one entry from the grant to the accepted finish, with its slot.

use super::Dispatcher;
use crate::news::News;
use crate::runner::{self, End};
use steadfast_core::seam::{Cause, Finish};
use steadfast_core::{Bucket, Fence, Kind, Lane, Task, TaskId, give_back};
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
    pub(crate) fn start(&mut self, task: Task) {
        let Some(fence) = task.fence() else { return };
        if let Some(old) = self.runs.get_mut(&task.id) {
            // We still run it under a grant that is lost. Never two at once in one process.
            old.stop = Some(Stop::Lost);
            old.cancel.cancel();
            let passed = old.next.replace(Box::new(task));
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
        let handler = self.shared.handlers.find(&task.kind).cloned();
        let Some(handler) = handler.filter(|_| self.drain.is_none() && self.is_me(fence.worker)) else {
            let change = give_back(&task, &self.policy(&task.kind), false);
            self.ended(task.id, End::Stopped(change));
            return;
        };
        let (shared, news) = (self.shared.clone(), self.news.clone());
        self.shared.spawn(async move {
            let id = task.id;
            let end = runner::run(shared, handler, task, fence, cancel).await;
            let _ = news.send(News::Ended(id, end));
        });
    }

    /// A run ended: its finish goes to the next batch, unless its grant is lost.
    pub(crate) fn ended(&mut self, task: TaskId, end: End) {
        let Some(entry) = self.runs.get(&task) else { return };
        let (change, said) = match end {
            End::Said(change) => (change, true),
            End::Stopped(change) => (change, false),
        };
        if entry.stop == Some(Stop::Lost) {
            return self.remove(task);
        }
        if !said && let Some(drain) = &mut self.drain {
            drain.given_back += 1;
        }
        self.finishes.push(Finish { fence: entry.fence, cause: Cause::Holder, change });
    }

    /// Forgets a task that is no longer ours and frees its slot.
    pub(crate) fn remove(&mut self, task: TaskId) {
        let Some(entry) = self.runs.remove(&task) else { return };
        self.free_slot(&entry.bucket, &entry.kind, entry.lane);
        self.freed_keys.extend(entry.serial);
        if let Some(next) = entry.next {
            self.start(*next);
        }
    }

    /// Tells a run to stop. The first reason stays, but a lost grant outweighs the others.
    pub(crate) fn stop(&mut self, task: TaskId, why: Stop) {
        let Some(entry) = self.runs.get_mut(&task) else { return };
        if entry.stop.is_none() || why == Stop::Lost {
            entry.stop = Some(why);
        }
        entry.cancel.cancel();
    }

    pub(crate) fn stop_all(&mut self, why: Stop) {
        for task in self.runs.keys().copied().collect::<Vec<_>>() {
            self.stop(task, why);
        }
    }

    /// Where a finished task was and what it was, to note it again if it is ready at once.
    pub(crate) fn place_of(&self, task: TaskId) -> Option<(Bucket, Kind, Lane)> {
        self.runs.get(&task).map(|entry| (entry.bucket.clone(), entry.kind.clone(), entry.lane))
    }
}
