//! What really happened, seen at the store and in the handlers, not by the workers.

use super::world::{World, WorldClock};
use crate::checker::{Event, History, Row};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use steadfast_core::seam::Finished;
use steadfast_core::{Clock, Fence, Key, Status, Task, TaskId};

/// How the keys of ticks begin: `tick:LINE@TIME`.
pub(crate) const TICK: &str = "tick:";

/// Writes a seed's history.
pub(crate) struct Recorder {
    clock: WorldClock,
    start: i64,
    history: History,
    /// The last row of each task that was written down.
    rows: BTreeMap<TaskId, Row>,
    calls: u64,
}

impl Recorder {
    /// From this moment on.
    pub(crate) fn new(world: &Arc<World>) -> Self {
        let clock = WorldClock(world.clone());
        let start = clock.now().micros();
        Self { clock, start, history: History::default(), rows: BTreeMap::new(), calls: 0 }
    }

    pub(crate) fn history(&self) -> &History {
        &self.history
    }

    /// The store's clock, since the start.
    pub(crate) fn now(&self) -> u64 {
        u64::try_from(self.clock.now().micros() - self.start).unwrap_or(0)
    }

    pub(crate) fn note(&mut self, event: Event) {
        self.history.note(self.now(), event);
    }

    /// A caller calls add; answers the number of the call.
    pub(crate) fn called(&mut self) -> u64 {
        self.calls += 1;
        self.note(Event::Try { call: self.calls });
        self.calls
    }

    /// A row may have changed.
    pub(crate) fn row(&mut self, task: &Task) {
        let row = Row::of(task, self.start);
        if self.rows.get(&task.id) == Some(&row) {
            return;
        }
        let before = self.rows.insert(task.id, row.clone()).map(|before| before.status);
        if let Some(deed) = before.and_then(|before| by_a_person(before, row.status)) {
            let (task, deed, who) = (row.task.clone(), deed.to_owned(), "row".to_owned());
            self.note(Event::Audit { task, deed, who, version: row.version });
        }
        self.note(Event::Row(row));
    }

    /// A task was added: the key of a tick names its line and its time.
    pub(crate) fn ticked(&mut self, key: Option<&Key>, task: TaskId) {
        let tick = key.and_then(|key| key.name.strip_prefix(TICK)?.split_once('@'));
        if let Some((line, time)) = tick {
            let (line, time) = (line.to_owned(), time.parse().expect("the time of a tick"));
            self.note(Event::Tick { line, time, task: task.to_string() });
        }
    }

    /// The store gave a task to a worker, whose call was sent then.
    pub(crate) fn granted(&mut self, task: &Task, sent: u64) {
        if let Some(fence) = task.fence() {
            let Fence { task, grant, worker } = fence;
            let (task, worker) = (task.to_string(), worker.to_string());
            self.note(Event::Grant { task, grant: grant.get(), worker, sent });
        }
        self.row(task);
    }

    /// The store answered a finish.
    pub(crate) fn finished(&mut self, fence: Fence, answer: Finished) {
        let status = match answer {
            Finished::Accepted { status, .. } => Some(status),
            Finished::Lost => None,
        };
        let (task, worker) = (fence.task.to_string(), fence.worker.to_string());
        self.note(Event::Finish { task, grant: fence.grant.get(), worker, status });
    }

    /// Tasks that a caller was told of.
    pub(crate) fn acknowledged(&self) -> BTreeSet<&str> {
        let told = self.history.events().filter_map(|(_, event)| match event {
            Event::Told { task, .. } => Some(task.as_str()),
            _ => None,
        });
        told.collect()
    }
}

/// What was done, if only a person moves a task like this: the row itself tells of each act.
fn by_a_person(before: Status, after: Status) -> Option<&'static str> {
    match (before, after) {
        _ if before == after => None,
        (_, Status::Cancelled) => Some("cancel"),
        (_, Status::Paused) => Some("pause"),
        (Status::Paused, _) => Some("release"),
        _ if before.is_final() => Some("again"),
        _ => None,
    }
}
