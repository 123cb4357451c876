//! One bucket's place in the dispatcher: its table, and what is under way for it.

use crate::handlers::Handlers;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use steadfast_core::{ClusterPath, Kind, Lane, Limit, LimitId, Limits, Note, Of, Priority, Table};

/// Different times that the table keeps in mind; beyond it the store is looked at again.
const RUNS_MAX: usize = 10_000;

/// Kinds that are kept in mind whatever is left of them.
const KNOWN_MAX: usize = 1000;

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
    handlers: Arc<Handlers>,
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
    /// Kinds that were seen, until they are many and nothing is left of them.
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
    pub(crate) fn new(handlers: Arc<Handlers>, slots: usize) -> Self {
        Self {
            handlers,
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
        if self.known.len() > KNOWN_MAX {
            self.tidy();
        }
    }

    /// Forgets kinds of which nothing is left: suffixes may come without end.
    fn tidy(&mut self) {
        for kind in std::mem::take(&mut self.known) {
            let own = self.own_limits(&kind);
            if self.table.may_have(&kind) || !own.iter().all(|limit| self.table.limits().is_idle(*limit)) {
                self.known.insert(kind);
                continue;
            }
            self.table.limits_mut().remove(&kind, &own);
            self.shared.remove(&Self::each(&kind));
            self.gates.remove(&kind);
            self.limited.remove(&kind);
        }
    }

    /// The limits that are this kind's alone: whatever is booked for it is booked there too.
    fn own_limits(&self, kind: &Kind) -> Vec<LimitId> {
        let each = self.shared.get(&Self::each(kind)).copied();
        each.into_iter().chain(self.gates.get(kind).map(|gate| gate.limit)).collect()
    }

    fn each(kind: &Kind) -> (Of, String) {
        (Of::Each, kind.to_string())
    }

    /// Frees the slot of a run.
    pub(crate) fn free(&mut self, kind: &Kind, lane: Lane) {
        self.knows(kind);
        self.fruitless = false;
        self.table.free(kind, lane);
        self.open_neighbours(kind);
    }

    /// Frees a slot that was booked for a run that never was.
    pub(crate) fn undo(&mut self, kind: &Kind, lane: Lane) {
        self.knows(kind);
        self.fruitless = false;
        self.table.undo(kind, lane);
        self.open_neighbours(kind);
    }

    /// Notes tasks of a kind that this worker handles.
    pub(crate) fn note(&mut self, note: &Note) {
        if self.knows(&note.kind) {
            self.fruitless = false;
            self.table.note(note);
        }
    }

    /// Whether a kind is ours. A kind that is new, or was forgotten, is put under its handler's limits: the same ones
    /// again, as long as anything is booked there.
    pub(crate) fn knows(&mut self, kind: &Kind) -> bool {
        if self.known.contains(kind) {
            return true;
        }
        let Some(handler) = self.handlers.find(kind).cloned() else { return false };
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
    pub(crate) fn book_over(&mut self, kind: &Kind, lane: Lane) {
        // First known, so that it is booked where it will be freed.
        self.knows(kind);
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

    /// Whether a kind is ours and nobody else is asked about it: the cluster and books are not asked for what may not
    /// be needed.
    pub(crate) fn knows_alone(&mut self, kind: &Kind) -> bool {
        self.knows(kind) && !self.gates.contains_key(kind)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handler::Handler;
    use crate::run::Run;
    use steadfast_core::{Demand, Time};

    /// Two handlers whose kinds have limits of all sorts, and more suffixes than are kept in mind.
    fn desk() -> (Desk, Vec<Kind>) {
        let nothing = |_: Run| async {};
        let pay = Handler::of("pay", nothing).limit(Limit::named("all", 30)).limit(Limit::each(1));
        let bank = Handler::of("bank", nothing).limit(2 * KNOWN_MAX).cluster_limit("*", 1);
        let handlers = Handlers::new(vec![pay, bank]).unwrap();
        let kinds = (0..2 * KNOWN_MAX).map(|n| Kind::new(format!("{}|{n}", ["pay", "bank"][n % 2])).unwrap());
        (Desk::new(Arc::new(handlers), usize::MAX), kinds.collect())
    }

    fn note(kind: &Kind) -> Note {
        let (priority, ready_at) = (Priority::default(), Time::from_micros(1));
        Note { kind: kind.clone(), priority, ready_at, lane: Lane::Plain, n: 1 }
    }

    #[test]
    fn suffixes_without_end_are_forgotten_when_nothing_is_left_of_them() {
        let (mut desk, kinds) = desk();
        for kind in &kinds {
            desk.note(&note(kind));
        }
        desk.sweep();
        assert_eq!(desk.known.len(), kinds.len(), "all of them wait");
        let mut running: Vec<Demand> = Vec::new();
        while running.len() < kinds.len() {
            let taken = desk.table.take(usize::MAX);
            assert!(!taken.is_empty(), "{} of {} were taken", running.len(), kinds.len());
            desk.sweep();
            // What has a limit of its own is kept in mind while it runs.
            assert!(taken.iter().all(|demand| desk.known.contains(&demand.kind)));
            for demand in &taken {
                desk.free(&demand.kind, demand.lane);
            }
            running.extend(taken);
        }
        let used = |desk: &Desk| desk.table.limits().get(Limits::ROOT).used;
        assert_eq!(used(&desk), 0);
        desk.sweep();
        assert!(desk.known.len() <= KNOWN_MAX);
        desk.tidy();
        assert!(desk.known.is_empty() && desk.gates.is_empty() && desk.limited.is_empty());
        assert_eq!(desk.shared.len(), 2, "those of the two handlers");
    }

    #[test]
    fn a_kind_that_was_forgotten_while_it_ran_is_freed_where_it_was_booked() {
        let (mut desk, _) = desk();
        let nothing = |_: Run| async {};
        desk.handlers = Arc::new(Handlers::new(vec![Handler::of("mail", nothing).limit(1)]).unwrap());
        let (one, other) = (Kind::new("mail|1").unwrap(), Kind::new("mail|2").unwrap());
        desk.note(&note(&one));
        assert_eq!(desk.table.take(1).len(), 1);
        desk.tidy();
        assert!(desk.known.is_empty());
        desk.note(&note(&other));
        assert!(!desk.table.has_next(), "the handler's one slot is taken");
        desk.free(&one, Lane::Plain);
        assert!(desk.table.has_next());
    }
}
