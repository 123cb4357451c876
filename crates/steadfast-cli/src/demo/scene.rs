//! One moment of the demo as it is shown: plain data, so that the picture can be tested without a demo.

use super::latency::Quantiles;
use std::time::Duration;

#[derive(Debug, Clone, Default)]
pub(super) struct Scene {
    pub(super) elapsed: Duration,
    /// Tasks that ended in the last second.
    pub(super) rate: u64,
    /// The rates before, oldest first.
    pub(super) rates: Vec<u64>,
    pub(super) workers: Vec<WorkerScene>,
    pub(super) kinds: Vec<KindScene>,
    /// The longest of each kind and worker first.
    pub(super) running: Vec<RunScene>,
    /// What waits and why, one line each.
    pub(super) waits: Vec<Wait>,
    /// Newest last.
    pub(super) events: Vec<Event>,
}

#[derive(Debug, Clone)]
pub(super) struct WorkerScene {
    pub(super) name: String,
    pub(super) state: State,
    pub(super) running: usize,
    /// How long its lease goes on without a sign of life.
    pub(super) lease: Duration,
}

/// How a worker process is doing, by what its parent knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Starting,
    Working,
    Killed,
    Drained,
    Gone,
}

#[derive(Debug, Clone)]
pub(super) struct KindScene {
    pub(super) kind: String,
    pub(super) ready: u64,
    /// Before their time, or parked.
    pub(super) waiting: u64,
    /// By worker.
    pub(super) running: Vec<usize>,
    /// In each worker.
    pub(super) limit: Option<usize>,
    pub(super) done: u64,
    pub(super) error: u64,
    /// From ready to start.
    pub(super) latency: Option<Quantiles>,
}

#[derive(Debug, Clone)]
pub(super) struct RunScene {
    pub(super) kind: String,
    /// The end of its id, which tells tasks apart at a glance.
    pub(super) id: String,
    pub(super) worker: String,
    pub(super) age: Duration,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wait {
    pub(super) who: String,
    pub(super) why: String,
}

#[derive(Debug, Clone)]
pub(super) struct Event {
    pub(super) at: Duration,
    pub(super) tone: Tone,
    pub(super) text: String,
}

/// Whether an event is good or bad.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    Plain,
    Good,
    Bad,
}

impl State {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Working => "working",
            Self::Killed => "killed",
            Self::Drained => "drained",
            Self::Gone => "gone",
        }
    }
}
