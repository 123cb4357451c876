//! The record: one row a task.

use crate::errors::Errors;
use crate::grant::{Fence, Grant, Version};
use crate::id::{TaskId, WorkerId};
use crate::kind::{Bucket, Kind};
use crate::limit::SUSPECT_LOST;
use crate::new_task::{Key, NewTask};
use crate::payload::Payload;
use crate::priority::Priority;
use crate::status::Status;
use crate::table::Lane;
use crate::time::Time;
use std::collections::BTreeMap;
use std::time::Duration;

/// A task as a store knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Its id.
    pub id: TaskId,
    /// Its place in the order of adding.
    pub seq: i64,
    /// Its shard.
    pub bucket: Bucket,
    /// Its handler.
    pub kind: Kind,
    /// Its label.
    pub subkind: Option<String>,
    /// Where its state machine stands.
    pub step: Option<String>,
    /// What the engine is doing with it.
    pub status: Status,
    /// How urgent it is.
    pub priority: Priority,
    /// When it may run; for a final one, when it ended; for a parked one, until when it may be finished.
    pub due_at: Time,
    /// When it became ready: the claim's order.
    pub ready_at: Time,
    /// The original time, for retries that count from it.
    pub base_at: Time,
    /// The hard end of the current run.
    pub deadline_at: Option<Time>,
    /// How often it was given to a worker.
    pub grant: Grant,
    /// Who holds it.
    pub worker: Option<WorkerId>,
    /// How often it changed.
    pub version: Version,
    /// Runs that counted.
    pub attempt: u32,
    /// Failures since it last made progress.
    pub failures: u32,
    /// Runs lost with their worker.
    pub lost: u32,
    /// Its uniqueness key or its caller's own id.
    pub key: Option<Key>,
    /// Its one-at-a-time group.
    pub serial: Option<String>,
    /// For lookup.
    pub search1: Option<String>,
    /// For lookup.
    pub search2: Option<String>,
    /// Which task added it.
    pub parent: Option<TaskId>,
    /// Correlation, trace context, headers.
    pub context: BTreeMap<String, String>,
    /// What the handler gets; none where it was not read (lists, large payloads) or not kept.
    pub payload: Option<Payload>,
    /// The payload's size as it is stored, also where the payload itself was not read.
    pub payload_len: usize,
    /// What the handler reported on its way.
    pub progress: Option<String>,
    /// What the handler left behind.
    pub output: Option<String>,
    /// What went wrong, attempt by attempt.
    pub errors: Errors,
    /// When it was added.
    pub created_at: Time,
    /// When an outsider could last see a change.
    pub changed_at: Time,
}

impl Task {
    /// The row that an add makes: ready, waiting for its time, or held behind its serial key.
    ///
    /// A serial task always starts held, whoever is ahead of it: the release decides, in one place.
    pub fn added(new: NewTask, seq: i64, now: Time) -> Self {
        let due_at = new.when.on(now);
        let status = match (&new.serial, due_at > now) {
            (Some(_), _) => Status::Held,
            (None, true) => Status::Waiting,
            (None, false) => Status::Ready,
        };
        let payload_len = new.payload.len();
        Self {
            id: new.id,
            seq,
            bucket: new.bucket,
            kind: new.kind,
            subkind: new.subkind,
            step: new.step,
            status,
            priority: new.priority,
            due_at,
            ready_at: due_at.max(now),
            base_at: due_at,
            deadline_at: None,
            grant: Grant::default(),
            worker: None,
            version: Version::default(),
            attempt: 0,
            failures: 0,
            lost: 0,
            key: new.key,
            serial: new.serial,
            search1: new.search1,
            search2: new.search2,
            parent: new.parent,
            context: new.context,
            payload: Some(new.payload),
            payload_len,
            progress: None,
            output: None,
            errors: Errors::default(),
            created_at: now,
            changed_at: now,
        }
    }

    /// Gives it to a worker: the one place where a grant rises.
    pub fn granted(&mut self, worker: WorkerId, deadline: Duration, now: Time) {
        self.status = Status::Running;
        self.grant = self.grant.next();
        self.worker = Some(worker);
        self.attempt += 1;
        // One that was parked waits no longer: given back, it is due at once.
        self.due_at = self.due_at.min(now);
        self.deadline_at = Some(now.after(deadline));
        self.touch(now);
    }

    /// Counts a change that an outsider can see.
    pub fn touch(&mut self, now: Time) {
        self.version = self.version.next();
        self.changed_at = now;
    }

    /// What its holder shows with every write; none when nobody holds it.
    pub fn fence(&self) -> Option<Fence> {
        self.worker.map(|worker| Fence { task: self.id, grant: self.grant, worker })
    }

    /// Whether it may be run among others or, after it took workers with it, only alone.
    pub fn lane(&self) -> Lane {
        if self.lost >= SUSPECT_LOST { Lane::Suspect } else { Lane::Plain }
    }
}
