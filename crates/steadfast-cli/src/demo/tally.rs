//! What the parent knows: the last look at the store, what the workers said, and what happened so far.

use super::children::{self, SEATS};
use super::latency::Latency;
use super::news::Seat;
use super::scene::{Event, KindScene, RunScene, Scene, State, Tone, WorkerScene};
use super::snapshot::Snapshot;
use super::story;
use super::why;
use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};
use steadfast::{Status, Task};

/// Most events and rates that are kept; no terminal shows more.
const KEPT_MAX: usize = 400;
/// How long nothing may end before something must be wrong: many times what the slowest wait of the story takes.
const STUCK: Duration = Duration::from_secs(30);
/// Over how many looks a rate is taken: a second.
const RATE_LOOKS: usize = 4;

pub(super) struct Tally {
    started: Instant,
    seen: Option<Snapshot>,
    states: [State; SEATS],
    latencies: BTreeMap<String, Latency>,
    /// How many tasks had ended at the last looks.
    looks: VecDeque<(Instant, u64)>,
    /// When the last look that saw more of them began.
    moved: Instant,
    rates: VecDeque<u64>,
    events: VecDeque<Event>,
}

impl Tally {
    pub(super) fn new() -> Self {
        Self {
            started: Instant::now(),
            seen: None,
            states: [State::Starting; SEATS],
            latencies: BTreeMap::new(),
            looks: VecDeque::new(),
            moved: Instant::now(),
            rates: VecDeque::new(),
            events: VecDeque::new(),
        }
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    pub(super) fn latency(&self, kind: &str) -> Option<&Latency> {
        self.latencies.get(kind)
    }

    pub(super) fn state(&self, seat: Seat) -> State {
        self.states[seat]
    }

    pub(super) fn set_state(&mut self, seat: Seat, state: State) {
        self.states[seat] = state;
    }

    pub(super) fn waited(&mut self, kind: String, waited: Duration) {
        self.latencies.entry(kind).or_default().note(waited);
    }

    pub(super) fn event(&mut self, tone: Tone, text: impl Into<String>) {
        keep(&mut self.events, Event { at: self.started.elapsed(), tone, text: text.into() });
    }

    pub(super) fn last_word(&self) -> &str {
        self.events.back().map_or("", |event| &event.text)
    }

    /// Takes in a look at the store.
    pub(super) fn see(&mut self, snapshot: Snapshot) {
        let now = (snapshot.begun, snapshot.done());
        let before = *self.looks.front().unwrap_or(&now);
        let seconds = now.0.duration_since(before.0).as_secs_f64();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
        let rate = if seconds > 0.0 { ((now.1 - before.1) as f64 / seconds) as u64 } else { 0 };
        if self.looks.back().is_none_or(|last| last.1 < now.1) {
            self.moved = now.0;
        }
        keep(&mut self.rates, rate);
        self.looks.push_back(now);
        if self.looks.len() > RATE_LOOKS {
            self.looks.pop_front();
        }
        self.seen = Some(snapshot);
    }

    /// Whether nothing has ended for so long that nothing will.
    pub(super) fn is_stuck(&self) -> bool {
        self.moved.elapsed() > STUCK
    }

    /// The moment as it is shown.
    pub(super) fn scene(&self, dead: Option<Seat>) -> Scene {
        let mut scene = Scene {
            elapsed: self.elapsed(),
            rate: self.rates.back().copied().unwrap_or_default(),
            rates: self.rates.iter().copied().collect(),
            events: self.events.iter().cloned().collect(),
            ..Scene::default()
        };
        if let Some(seen) = &self.seen {
            scene.workers = (0..SEATS).map(|seat| self.worker(seen, seat)).collect();
            scene.kinds = story::KINDS.iter().map(|kind| self.kind(seen, kind)).collect();
            scene.running = running(seen);
            scene.waits = why::waits(seen, dead);
        }
        scene
    }

    fn worker(&self, seen: &Snapshot, seat: Seat) -> WorkerScene {
        let name = children::name(seat);
        let row = seen.worker(&name);
        WorkerScene {
            state: self.states[seat],
            running: row.map_or(0, |row| seen.held(row).count()),
            lease: row.map_or(Duration::ZERO, |row| row.lease_until.since(seen.now)),
            name,
        }
    }

    fn kind(&self, seen: &Snapshot, kind: &str) -> KindScene {
        let count = |status| seen.count(kind, status);
        let here = |task: &&Task| task.kind.as_str() == kind;
        let running =
            |seat| seen.worker(&children::name(seat)).map_or(0, |row| seen.held(row).filter(here).count());
        KindScene {
            kind: kind.to_owned(),
            ready: count(Status::Ready),
            waiting: count(Status::Waiting) + count(Status::Parked),
            running: (0..SEATS).map(running).collect(),
            limit: story::limit(kind),
            done: count(Status::Done),
            error: count(Status::Error),
            latency: self.latencies.get(kind).and_then(Latency::quantiles),
        }
    }
}

fn running(seen: &Snapshot) -> Vec<RunScene> {
    let name = |task: &Task| seen.workers.iter().find(|row| Some(row.worker) == task.worker);
    let scene = |task: &Task| RunScene {
        kind: task
            .step
            .as_ref()
            .map_or_else(|| task.kind.to_string(), |step| format!("{} {step}", task.kind)),
        id: task.id.to_string().split_off(28),
        worker: name(task).map_or_else(String::new, |row| row.name.clone()),
        age: seen.now.since(task.changed_at),
    };
    let mut all: Vec<_> = seen.running.iter().map(scene).collect();
    all.sort_by_key(|run| std::cmp::Reverse(run.age));
    // One of each kind and worker before the next of the same, so that a few lines show what there is.
    let mut seen = BTreeMap::<(String, String), usize>::new();
    all.sort_by_cached_key(|run| {
        let nth = seen.entry((run.kind.clone(), run.worker.clone())).or_default();
        *nth += 1;
        *nth
    });
    all
}

/// Keeps the newest.
fn keep<T>(all: &mut VecDeque<T>, one: T) {
    if all.len() == KEPT_MAX {
        all.pop_front();
    }
    all.push_back(one);
}
