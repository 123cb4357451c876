//! One bucket's place in the dispatcher: its table, and what is under way for it.

use crate::handlers::Handlers;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use steadfast_core::{ClusterPath, Kind, Lane, Limit, LimitId, Limits, Note, Of, Priority, Table};

/// Different times that the table keeps in mind; beyond it the store is looked at again.
const RUNS_MAX: usize = 10_000;

/// How long a kind waits before it asks a full cluster again.
const FULL_WAIT: Duration = Duration::from_millis(5);
/// How often that wait doubles while the cluster stays full.
const FULL_DOUBLINGS: u32 = 6;

/// What a look is to see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum View {
    /// Whatever is first in the claim's order.
    Ahead,
    /// Own kinds only, after this one: what is first cannot be taken.
    Behind(Option<Kind>),
}

pub(crate) struct Desk {
    pub(crate) table: Table,
    /// Grabs under way; those under limits of the cluster go apart.
    pub(crate) grabbing: usize,
    pub(crate) looking: bool,
    pub(crate) wants_look: bool,
    /// When the last look began that found nothing for us; births are fair only for a while after it.
    pub(crate) clear_since: Option<Duration>,
    pub(crate) look_began: Duration,
    /// Where the next look goes.
    pub(crate) view: View,
    /// Everything was looked at and nothing could be taken: only a slot, a note or the sweep can change that.
    pub(crate) fruitless: bool,
    /// Limits that handlers or kinds share.
    shared: BTreeMap<(Of, String), LimitId>,
    /// Kinds that are under a limit.
    limited: BTreeSet<Kind>,
    known: BTreeSet<Kind>,
    /// Kinds under limits of the cluster, or with a book of their user.
    gates: BTreeMap<Kind, Gate>,
    /// When tokens come that somebody waits for, as far as a timer is set.
    alarm: Option<Duration>,
}

/// A kind about which somebody else is asked: the cluster, a book, or both.
#[derive(Debug)]
struct Gate {
    /// The limits of the cluster, as far as this worker knows.
    path: Option<ClusterPath>,
    /// Its place among this worker's own limits, shut while the answer was no.
    limit: LimitId,
    /// Whether a book is asked.
    booked: bool,
    /// How often in a row the cluster was full.
    full_n: u32,
}

impl Desk {
    pub(crate) fn new(slots: usize) -> Self {
        Self {
            table: Table::new(Limits::new(slots), RUNS_MAX),
            grabbing: 0,
            looking: false,
            wants_look: true,
            clear_since: None,
            look_began: Duration::ZERO,
            view: View::Ahead,
            fruitless: false,
            shared: BTreeMap::new(),
            limited: BTreeSet::new(),
            known: BTreeSet::new(),
            gates: BTreeMap::new(),
            alarm: None,
        }
    }

    pub(crate) fn want_look(&mut self) {
        self.wants_look = true;
    }

    /// The sweep looks ahead again, whatever filled the window before.
    pub(crate) fn sweep(&mut self) {
        self.view = View::Ahead;
        self.fruitless = false;
        self.wants_look = true;
        for gate in self.gates.values().filter(|gate| gate.booked) {
            self.table.open(gate.limit);
        }
    }

    /// Frees the slot of a run.
    pub(crate) fn free(&mut self, kind: &Kind, lane: Lane) {
        self.fruitless = false;
        self.table.free(kind, lane);
        self.open_neighbours(kind);
    }

    /// Frees a slot that was booked for a run that never was.
    pub(crate) fn undo(&mut self, kind: &Kind, lane: Lane) {
        self.fruitless = false;
        self.table.undo(kind, lane);
        self.open_neighbours(kind);
    }

    /// Notes tasks of a kind that this worker handles.
    pub(crate) fn note(&mut self, handlers: &Arc<Handlers>, note: &Note) {
        if self.knows(handlers, &note.kind) {
            self.fruitless = false;
            self.table.note(note);
        }
    }

    /// Whether a kind is ours. A kind seen for the first time is put under its handler's limit.
    pub(crate) fn knows(&mut self, handlers: &Arc<Handlers>, kind: &Kind) -> bool {
        if self.known.contains(kind) {
            return true;
        }
        let Some(handler) = handlers.find(kind) else { return false };
        let handler = handler.clone();
        let mut limit = Limits::ROOT;
        for wider in &handler.limits {
            limit = self.limit_below(limit, wider, &handler.pattern.text(), kind);
        }
        let path = handler.policy.cluster_path(kind);
        if path.is_some() || handler.book.is_some() {
            let max = path.as_ref().map_or(usize::MAX, |path| path.size() as usize);
            limit = self.table.limits_mut().add(limit, max);
            let gate = Gate { path, limit, booked: handler.book.is_some(), full_n: 0 };
            self.gates.insert(kind.clone(), gate);
        }
        if let Some(book) = &handler.book {
            self.table.limits_mut().ask(kind.clone(), book.clone());
        }
        if limit != Limits::ROOT {
            self.table.limits_mut().assign(kind.clone(), limit);
            self.limited.insert(kind.clone());
        }
        self.known.insert(kind.clone());
        true
    }

    /// Books a slot for a task that was taken over, whether there is room or not.
    pub(crate) fn book_over(&mut self, handlers: &Arc<Handlers>, kind: &Kind, lane: Lane) {
        // First known, so that it is booked where it will be freed.
        self.knows(handlers, kind);
        self.table.book_over(kind, lane);
    }

    /// The counter of a handler's limit, made when it is first needed.
    fn limit_below(&mut self, above: LimitId, limit: &Limit, pattern: &str, kind: &Kind) -> LimitId {
        let whose = match limit.whose() {
            Of::Named(_) => String::new(),
            Of::Handler => pattern.to_owned(),
            Of::Each => kind.to_string(),
        };
        let limits = self.table.limits_mut();
        let id = self.shared.entry((limit.whose().clone(), whose));
        *id.or_insert_with(|| limits.add(above, limit.clone()))
    }

    /// The limits of the cluster that a kind is under.
    pub(crate) fn cluster_path(&self, kind: &Kind) -> Option<&ClusterPath> {
        self.gates.get(kind).and_then(|gate| gate.path.as_ref())
    }

    /// The cluster had no room for all that was asked for: the kind stands aside for so long, however many of it wait.
    pub(crate) fn shut(&mut self, kind: &Kind) -> Option<Duration> {
        let gate = self.gates.get_mut(kind).filter(|gate| gate.path.is_some())?;
        let wait = FULL_WAIT.saturating_mul(1 << gate.full_n.min(FULL_DOUBLINGS));
        gate.full_n += 1;
        self.table.shut(gate.limit);
        Some(wait)
    }

    /// A kind that stood aside may ask again.
    pub(crate) fn open(&mut self, kind: &Kind) {
        if let Some(gate) = self.gates.get(kind) {
            self.fruitless = false;
            self.table.open(gate.limit);
        }
    }

    /// The cluster had room: the next time it has none is the first again.
    pub(crate) fn had_room(&mut self, kind: &Kind) {
        if let Some(gate) = self.gates.get_mut(kind) {
            gate.full_n = 0;
        }
    }

    /// How long until somebody who waits has a token, if no timer is set for that yet.
    pub(crate) fn new_alarm(&mut self, now: Duration) -> Option<Duration> {
        let at = self.table.wake_at().filter(|at| self.alarm.is_none_or(|alarm| *at < alarm))?;
        self.alarm = Some(at);
        Some(at.saturating_sub(now))
    }

    /// The timer went off.
    pub(crate) fn alarm_over(&mut self) {
        self.alarm = None;
    }

    /// A run ended: whoever shares a limit of the cluster with it, or a book with anybody, may have room now.
    fn open_neighbours(&mut self, kind: &Kind) {
        let Some(gate) = self.gates.get(kind) else { return };
        let shut = |other: &&Gate| self.table.limits().get(other.limit).shut;
        let root = |gate: &Gate| gate.path.as_ref().map(|path| path.root().to_owned());
        let (own, booked) = (root(gate), gate.booked);
        let near = |other: &&Gate| (booked && other.booked) || (own.is_some() && root(other) == own);
        for limit in self.gates.values().filter(shut).filter(near).map(|gate| gate.limit).collect::<Vec<_>>()
        {
            self.table.open(limit);
        }
    }

    /// Own kinds that have no room now, however urgent.
    pub(crate) fn full(&self) -> Vec<Kind> {
        let limits = self.table.limits();
        let full = |kind: &&Kind| limits.room_for(kind, Lane::Plain, Priority::URGENT) == 0;
        self.limited.iter().filter(full).cloned().collect()
    }
}
