//! One bucket's place in the dispatcher: its table, and what is under way for it.

use crate::handlers::Handlers;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use steadfast_core::{ClusterPath, Kind, Lane, LimitId, Limits, Note, Table};

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
    /// Handlers' limits, by their pattern.
    limits: BTreeMap<String, LimitId>,
    /// Kinds that have a limit of their own.
    limited: BTreeMap<Kind, LimitId>,
    known: BTreeSet<Kind>,
    /// Kinds under limits of the cluster.
    clustered: BTreeMap<Kind, Clustered>,
}

/// A kind under limits of the cluster, as far as this worker knows.
#[derive(Debug)]
struct Clustered {
    path: ClusterPath,
    /// Its place among this worker's own limits, shut while the cluster is full.
    limit: LimitId,
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
            limits: BTreeMap::new(),
            limited: BTreeMap::new(),
            known: BTreeSet::new(),
            clustered: BTreeMap::new(),
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
    }

    /// Frees a booked slot.
    pub(crate) fn free(&mut self, kind: &Kind, lane: Lane) {
        self.fruitless = false;
        self.table.free(kind, lane);
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
        let mut limit = None;
        if let Some(max) = handler.limit {
            let pattern = handler.pattern.text();
            let limits = self.table.limits_mut();
            limit = Some(*self.limits.entry(pattern).or_insert_with(|| limits.add(Limits::ROOT, max)));
        }
        if let Some(path) = handler.policy.cluster_path(kind) {
            let below = limit.unwrap_or(Limits::ROOT);
            let own = self.table.limits_mut().add(below, path.size() as usize);
            self.clustered.insert(kind.clone(), Clustered { path, limit: own, full_n: 0 });
            limit = Some(own);
        }
        if let Some(limit) = limit {
            self.table.limits_mut().assign(kind.clone(), limit);
            self.limited.insert(kind.clone(), limit);
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

    /// The limits of the cluster that a kind is under.
    pub(crate) fn cluster_path(&self, kind: &Kind) -> Option<&ClusterPath> {
        self.clustered.get(kind).map(|clustered| &clustered.path)
    }

    /// The cluster had no room for all that was asked for: the kind stands aside for so long, however many of it wait.
    pub(crate) fn shut(&mut self, kind: &Kind) -> Option<Duration> {
        let clustered = self.clustered.get_mut(kind)?;
        let wait = FULL_WAIT.saturating_mul(1 << clustered.full_n.min(FULL_DOUBLINGS));
        clustered.full_n += 1;
        self.table.shut(clustered.limit);
        Some(wait)
    }

    /// A kind that stood aside may ask the cluster again.
    pub(crate) fn open(&mut self, kind: &Kind) {
        if let Some(clustered) = self.clustered.get(kind) {
            self.fruitless = false;
            self.table.open(clustered.limit);
        }
    }

    /// The cluster had room: the next time it has none is the first again.
    pub(crate) fn had_room(&mut self, kind: &Kind) {
        if let Some(clustered) = self.clustered.get_mut(kind) {
            clustered.full_n = 0;
        }
    }

    /// A run under limits of the cluster ended: whoever shares one of them may have room now.
    fn open_neighbours(&mut self, kind: &Kind) {
        let Some(root) = self.cluster_path(kind).map(|path| path.root().to_owned()) else { return };
        let shut = |clustered: &&Clustered| self.table.limits().get(clustered.limit).shut;
        let near = self.clustered.values().filter(|clustered| clustered.path.root() == root).filter(shut);
        for limit in near.map(|clustered| clustered.limit).collect::<Vec<_>>() {
            self.table.open(limit);
        }
    }

    /// Own kinds that have no room now.
    pub(crate) fn full(&self) -> Vec<Kind> {
        let full = self.limited.iter().filter(|(_, limit)| self.table.limits().room(**limit) == 0);
        full.map(|(kind, _)| kind.clone()).collect()
    }
}
