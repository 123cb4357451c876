//! One bucket's place in the dispatcher: its table, and what is under way for it.

use crate::handlers::Handlers;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use steadfast_core::{Kind, Lane, LimitId, Limits, Note, Table};

/// Different times that the table keeps in mind; beyond it the store is looked at again.
const RUNS_MAX: usize = 10_000;

/// What a look is to see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum View {
    /// Whatever is first in the claim's order.
    Ahead,
    /// Own kinds only, after this one: what is first cannot be taken.
    Behind(Option<Kind>),
}

#[expect(clippy::struct_excessive_bools, reason = "each says of one thing that it is under way or wanted")]
pub(crate) struct Desk {
    pub(crate) table: Table,
    pub(crate) grabbing: bool,
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
}

impl Desk {
    pub(crate) fn new(slots: usize) -> Self {
        Self {
            table: Table::new(Limits::new(slots), RUNS_MAX),
            grabbing: false,
            looking: false,
            wants_look: true,
            clear_since: None,
            look_began: Duration::ZERO,
            view: View::Ahead,
            fruitless: false,
            limits: BTreeMap::new(),
            limited: BTreeMap::new(),
            known: BTreeSet::new(),
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
        if let Some(max) = handler.limit {
            let pattern = handler.pattern.text();
            let limits = self.table.limits_mut();
            let limit = *self.limits.entry(pattern).or_insert_with(|| limits.add(Limits::ROOT, max));
            limits.assign(kind.clone(), limit);
            self.limited.insert(kind.clone(), limit);
        }
        self.known.insert(kind.clone());
        true
    }

    /// Own kinds that have no room now.
    pub(crate) fn full(&self) -> Vec<Kind> {
        let full = self.limited.iter().filter(|(_, limit)| self.table.limits().room(**limit) == 0);
        full.map(|(kind, _)| kind.clone()).collect()
    }
}
