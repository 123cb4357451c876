//! The table against a plain list that is searched anew at every pick.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod common;
#[allow(unreachable_pub, reason = "the testkit's own, which the core cannot depend on")]
#[path = "../../steadfast-testkit/src/shown.rs"]
mod shown;

use common::{Chance, each_seed};
use shown::Shown;
use std::collections::BTreeSet;
use std::time::Duration;
use steadfast_core::{Kind, Lane, Limit, LimitId, Limits, Note, Priority, Rate, Table, Time};

const CASES: u64 = 100_000;

#[test]
fn the_table_picks_like_a_list_that_is_searched() {
    let kinds: Vec<Kind> = ["a", "b", "c", "d", "e"].map(kind).into();
    each_seed(CASES, |chance| Case::new(chance, &kinds).run(chance));
    Shown {
        promise: "G8 order",
        store: "all",
        done: format!("the table of a worker against a list that is searched, {CASES} random cases"),
        seen: "the same picks in all".into(),
        bar: "in all".into(),
        ok: true,
    }
    .hold();
}

#[test]
fn a_small_table_says_when_it_does_not_know_all() {
    let kinds: Vec<Kind> = ["a", "b", "c"].map(kind).into();
    each_seed(20_000, |chance| run_small(chance, &kinds));
}

#[test]
fn the_longest_waiting_goes_first_and_a_full_kind_stands_aside() {
    check("0:mail 0:mail 1:pay", &limits("mail", 1), "mail pay mail");
    check("0:mail 0:mail 1:pay", &limits("mail", 2), "mail mail pay");
    check("0:mail 1:pay 2:mail", &limits("mail", 9), "mail pay mail");
    check("3:mail 2:pay 1:sms", &limits("mail", 1), "sms pay mail");
}

#[test]
fn urgency_goes_before_waiting() {
    check("0:mail 9:pay!0", &limits("mail", 1), "pay mail");
    check("0:mail 0:mail 9:mail!0 5:pay", &limits("mail", 1), "mail pay mail mail");
    check("0:a!9 1:b!8 2:c!7", &limits("a", 1), "c b a");
}

#[test]
fn equal_heads_go_by_name_then_lane() {
    check("0:b 0:a 0:c", &limits("a", 1), "a b c");
    check("0:a? 0:a", &limits("a", 2), "a a?");
}

#[test]
fn suspects_go_one_at_a_time_and_hold_up_nobody_else() {
    check("0:a? 1:b? 2:c", &limits("c", 1), "a? c b?");
    check("0:a? 0:a? 1:a", &limits("a", 2), "a? a a?");
}

#[test]
fn a_full_group_lets_the_others_pass() {
    let group = [("mail|a", 5, Some("mail")), ("mail|b", 5, Some("mail")), ("mail", 1, None)];
    check("0:mail|a 1:mail|b 2:mail|a 3:pay", &group, "mail|a pay mail|b mail|a");
}

// The head that came forward for a slot was forgotten; nobody told the next one that waited for it.
#[test]
fn a_forgotten_head_leaves_its_slot_to_the_next_one_waiting() {
    let (a, b) = (kind("a"), kind("b"));
    let mut limits = Limits::new(9);
    let group = limits.add(Limits::ROOT, 1);
    limits.assign(a.clone(), group);
    limits.assign(b.clone(), group);
    let mut table = Table::new(limits, 100);
    table.note(&note(&a, 5, 0, Lane::Plain, 2));
    table.note(&note(&b, 5, 1, Lane::Plain, 1));
    assert_eq!(table.pick().unwrap().0, a);
    assert!(table.pick().is_none());
    table.free(&a, Lane::Plain);
    table.forget(&a, Priority::default(), Lane::Plain);
    assert_eq!(table.pick().unwrap().0, b);
}

// The note that no longer fitted left an empty, more urgent line behind, which hid the rest of its kind.
#[test]
fn a_note_that_does_not_fit_hides_nothing() {
    let mail = kind("mail");
    let mut table = Table::new(Limits::new(9), 1);
    table.note(&note(&mail, 5, 0, Lane::Plain, 1));
    table.note(&note(&mail, 0, 0, Lane::Plain, 1));
    assert!(table.more());
    assert_eq!(table.pick(), Some((mail, Priority::default(), Lane::Plain)));
    assert!(table.is_empty());
}

#[test]
fn a_look_replaces_all_but_what_was_noted_meanwhile() {
    let (old, seen, new) = (kind("old"), kind("seen"), kind("new"));
    let mut table = Table::new(Limits::new(9), 100);
    table.note(&note(&old, 5, 0, Lane::Plain, 1));
    table.look_begins();
    table.note(&note(&new, 5, 2, Lane::Plain, 1));
    table.look_ends(&[note(&seen, 5, 1, Lane::Plain, 1)], false);
    assert_eq!(names(&mut table), ["seen", "new"]);
    assert!(!table.more());
}

#[test]
fn a_look_that_fails_leaves_what_was_known_and_asks_for_another() {
    let mut table = Table::new(Limits::new(9), 100);
    table.note(&note(&kind("old"), 5, 0, Lane::Plain, 1));
    table.look_begins();
    table.look_fails();
    assert!(table.more());
    assert_eq!(names(&mut table), ["old"]);
}

#[test]
fn picks_are_gathered_into_demands() {
    let mut table = Table::new(Limits::new(3), 100);
    table.note(&note(&kind("mail"), 5, 0, Lane::Plain, 5));
    table.note(&note(&kind("mail"), 0, 0, Lane::Plain, 1));
    let demands: Vec<_> =
        table.take(10).into_iter().map(|demand| (demand.priority.get(), demand.n)).collect();
    assert_eq!(demands, [(0, 1), (5, 2)]);
    assert_eq!(table.limits().room(Limits::ROOT), 0);
    assert!(!table.has_next());
}

/// Notes as `time:kind`, with `!` before another priority than 5 and `?` behind a suspect. Picks until the
/// table is empty; whenever nobody has room, the oldest run ends.
fn check(notes: &str, tree: &[(&str, usize, Option<&str>)], expected: &str) {
    let mut table = Table::new(build(tree), 1000);
    for word in notes.split(' ') {
        table.note(&parse(word));
    }
    let (mut seen, mut running) = (Vec::new(), std::collections::VecDeque::new());
    while !table.is_empty() {
        if let Some((kind, _, lane)) = table.pick() {
            seen.push(format!("{kind}{}", if lane == Lane::Suspect { "?" } else { "" }));
            running.push_back((kind, lane));
        } else {
            let (kind, lane) = running.pop_front().expect("nobody runs and nobody may run");
            table.free(&kind, lane);
        }
    }
    assert_eq!(seen.join(" "), expected, "of {notes}");
}

/// One kind with a limit of its own.
fn limits(kind: &str, max: usize) -> [(&str, usize, Option<&str>); 1] {
    [(kind, max, None)]
}

/// Limits by name, each a kind as well, children before or after their parents.
fn build(tree: &[(&str, usize, Option<&str>)]) -> Limits {
    fn add(limits: &mut Limits, tree: &[(&str, usize, Option<&str>)], name: &str) -> LimitId {
        let (_, max, parent) = tree.iter().find(|(own, _, _)| *own == name).unwrap();
        let parent = parent.map_or(Limits::ROOT, |parent| add(limits, tree, parent));
        limits.add(parent, *max)
    }
    let mut limits = Limits::new(100);
    let parents: BTreeSet<&str> = tree.iter().filter_map(|(_, _, parent)| *parent).collect();
    let ids: Vec<_> = parents.iter().map(|name| (*name, add(&mut limits, tree, name))).collect();
    for (name, max, parent) in tree.iter().filter(|(name, _, _)| !parents.contains(name)) {
        let above = ids.iter().find(|(id, _)| Some(*id) == *parent).map_or(Limits::ROOT, |(_, id)| *id);
        let id = limits.add(above, *max);
        limits.assign(kind(name), id);
    }
    limits
}

fn parse(word: &str) -> Note {
    let (ready_at, name) = word.split_once(':').unwrap();
    let (name, priority) = name.split_once('!').unwrap_or((name, "5"));
    let lane = if name.ends_with('?') { Lane::Suspect } else { Lane::Plain };
    note(&kind(name.trim_end_matches('?')), priority.parse().unwrap(), ready_at.parse().unwrap(), lane, 1)
}

fn names(table: &mut Table) -> Vec<String> {
    std::iter::from_fn(|| table.pick()).map(|(kind, _, _)| kind.to_string()).collect()
}

fn kind(name: &str) -> Kind {
    Kind::new(name).unwrap()
}

fn note(kind: &Kind, priority: i64, ready_at: i64, lane: Lane, n: usize) -> Note {
    let (priority, ready_at) = (Priority::new(priority).unwrap(), Time::from_micros(ready_at));
    Note { kind: kind.clone(), priority, ready_at, lane, n }
}

/// A table beside the list of all that was noted and all that is booked.
struct Case<'a> {
    kinds: &'a [Kind],
    table: Table,
    tree: Vec<Branch>,
    now: u64,
    /// The limit of each kind, by its place in the tree.
    own: Vec<usize>,
    ids: Vec<LimitId>,
    /// Limits that count as full whatever is booked.
    shut: BTreeSet<usize>,
    noted: Vec<Entry>,
    /// What was noted since a look began; none while nobody looks.
    fresh: Option<Vec<Entry>>,
    booked: Vec<(usize, Lane)>,
}

/// A limit of the plain list.
struct Branch {
    max: usize,
    /// How far priority 0 may go over it.
    extra: usize,
    /// Microseconds between tokens, and the times when tokens of two were last taken, if it has a rate.
    pace: Option<(u64, Vec<u64>)>,
    parent: Option<usize>,
}

/// One task: the order of the fields is the order of the table.
type Entry = (i64, i64, usize, Lane);

impl<'a> Case<'a> {
    fn new(chance: &mut Chance, kinds: &'a [Kind]) -> Self {
        let slots = 1 + chance.below(5);
        let root = Branch { max: slots, extra: 0, pace: None, parent: None };
        let (mut limits, mut ids, mut tree) = (Limits::new(slots), vec![Limits::ROOT], vec![root]);
        for _ in 0..chance.below(6) {
            let (parent, max) = (chance.below(tree.len()), chance.below(3));
            let branch = Branch::any(chance, max, parent);
            ids.push(limits.add(ids[parent], branch.limit()));
            tree.push(branch);
        }
        let own: Vec<usize> = kinds.iter().map(|_| chance.below(tree.len())).collect();
        for (kind, limit) in kinds.iter().zip(&own) {
            limits.assign(kind.clone(), ids[*limit]);
        }
        let table = Table::new(limits, 1000);
        Self {
            kinds,
            table,
            tree,
            now: 0,
            own,
            ids,
            shut: BTreeSet::new(),
            noted: Vec::new(),
            fresh: None,
            booked: Vec::new(),
        }
    }

    fn run(mut self, chance: &mut Chance) {
        for _ in 0..chance.below(28) {
            match chance.below(21) {
                0..=4 => {
                    let note = self.any_note(chance);
                    self.note(&note);
                }
                5..=9 => self.pick(),
                10..=12 => self.free(chance),
                13 => self.forget(chance),
                14 => self.look(chance),
                15 | 16 => self.shut_or_open(chance),
                17..=19 => self.pass(chance),
                _ => self.ask(chance),
            }
        }
        for at in std::mem::take(&mut self.shut) {
            self.table.open(self.ids[at]);
        }
        // Whoever is left over must still be found; each token that somebody waits for has its time.
        for _ in 0..40 {
            self.pass_to_alarm();
            self.pick();
        }
        while !self.booked.is_empty() {
            self.free(chance);
            self.pick();
        }
        self.check_len();
    }

    fn any_note(&self, chance: &mut Chance) -> (Entry, usize) {
        let lane = if chance.below(5) == 0 { Lane::Suspect } else { Lane::Plain };
        let (priority, ready_at) = (chance.below(3), chance.below(5));
        let entry = (
            i64::try_from(priority).unwrap(),
            i64::try_from(ready_at).unwrap(),
            chance.below(self.kinds.len()),
            lane,
        );
        (entry, chance.below(4))
    }

    fn to_note(&self, ((priority, ready_at, kind, lane), n): &(Entry, usize)) -> Note {
        note(&self.kinds[*kind], *priority, *ready_at, *lane, *n)
    }

    fn note(&mut self, noted: &(Entry, usize)) {
        self.table.note(&self.to_note(noted));
        self.noted.extend(std::iter::repeat_n(noted.0, noted.1));
        if let Some(fresh) = &mut self.fresh {
            fresh.extend(std::iter::repeat_n(noted.0, noted.1));
        }
    }

    fn pick(&mut self) {
        let next = self.next();
        let seen = self.table.pick();
        let expected = next.map(|(priority, _, kind, lane)| (self.kinds[kind].as_str(), priority, lane));
        assert_eq!(
            seen.as_ref().map(|(kind, priority, lane)| (kind.as_str(), i64::from(*priority), *lane)),
            expected
        );
        if let Some(entry) = next {
            let at = self.noted.iter().position(|noted| *noted == entry).unwrap();
            self.noted.remove(at);
            self.book(entry.2, entry.3);
        }
        self.check_len();
    }

    fn free(&mut self, chance: &mut Chance) {
        if !self.booked.is_empty() {
            let (kind, lane) = self.booked.swap_remove(chance.below(self.booked.len()));
            self.table.free(&self.kinds[kind], lane);
        }
    }

    fn book(&mut self, kind: usize, lane: Lane) {
        let now = self.now;
        for at in self.path(kind).collect::<Vec<_>>() {
            if let Some((_, taken)) = &mut self.tree[at].pace {
                taken.push(now);
            }
        }
        self.booked.push((kind, lane));
    }

    fn pass(&mut self, chance: &mut Chance) {
        self.now += u64::try_from(chance.below(12)).unwrap();
        self.table.pass(Duration::from_micros(self.now));
    }

    /// Goes to when somebody who waits may have a token.
    fn pass_to_alarm(&mut self) {
        if let Some(at) = self.table.wake_at() {
            self.now = u64::try_from(at.as_micros()).unwrap();
            self.table.pass(at);
        }
    }

    fn shut_or_open(&mut self, chance: &mut Chance) {
        let at = chance.below(self.tree.len());
        if self.shut.remove(&at) {
            self.table.open(self.ids[at]);
        } else {
            self.shut.insert(at);
            self.table.shut(self.ids[at]);
        }
    }

    fn forget(&mut self, chance: &mut Chance) {
        let ((priority, _, kind, lane), _) = self.any_note(chance);
        self.table.forget(&self.kinds[kind], Priority::new(priority).unwrap(), lane);
        self.noted.retain(|noted| (noted.0, noted.2, noted.3) != (priority, kind, lane));
        self.check_len();
    }

    /// Begins a look or ends the one that is under way.
    fn look(&mut self, chance: &mut Chance) {
        let Some(fresh) = self.fresh.take() else {
            self.table.look_begins();
            self.fresh = Some(Vec::new());
            return;
        };
        if chance.below(4) == 0 {
            return self.table.look_fails();
        }
        let answer: Vec<_> = (0..chance.below(5)).map(|_| self.any_note(chance)).collect();
        let notes: Vec<Note> = answer.iter().map(|noted| self.to_note(noted)).collect();
        let more = chance.below(2) == 0;
        self.table.look_ends(&notes, more);
        assert_eq!(self.table.more(), more);
        self.noted =
            answer.iter().flat_map(|(entry, n)| std::iter::repeat_n(*entry, *n)).chain(fresh).collect();
        self.check_len();
    }

    /// Asks without picking, or books past the table as a birth does.
    fn ask(&mut self, chance: &mut Chance) {
        if chance.below(2) == 0 {
            assert_eq!(self.table.has_next(), self.next().is_some());
            return;
        }
        let ((priority, _, kind, lane), _) = self.any_note(chance);
        let room = self.has_room(kind, lane, priority);
        let booked = self.table.book(&self.kinds[kind], lane, Priority::new(priority).unwrap());
        assert_eq!(booked, room);
        if room {
            self.book(kind, lane);
        }
    }

    fn check_len(&self) {
        assert_eq!(self.table.len(), self.noted.iter().collect::<BTreeSet<_>>().len());
        assert_eq!(self.table.is_empty(), self.noted.is_empty());
    }

    fn next(&self) -> Option<Entry> {
        let name =
            |(priority, ready_at, kind, lane): &Entry| (*priority, *ready_at, &self.kinds[*kind], *lane);
        self.noted
            .iter()
            .filter(|noted| self.has_room(noted.2, noted.3, noted.0))
            .min_by_key(|noted| name(noted))
            .copied()
    }

    fn has_room(&self, kind: usize, lane: Lane, priority: i64) -> bool {
        let room = |at: usize| {
            let used = self.booked.iter().filter(|(booked, _)| self.path(*booked).any(|limit| limit == at));
            let branch = &self.tree[at];
            let max = branch.max + if priority == 0 { branch.extra } else { 0 };
            used.count() < max && !self.shut.contains(&at) && branch.has_token(self.now)
        };
        let alone = lane == Lane::Plain || !self.booked.iter().any(|(_, lane)| *lane == Lane::Suspect);
        alone && self.path(kind).all(room)
    }

    fn path(&self, kind: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(self.own[kind]), |at| self.tree[*at].parent)
    }
}

impl Branch {
    fn any(chance: &mut Chance, max: usize, parent: usize) -> Self {
        let extra = if chance.below(3) == 0 { max } else { 0 };
        let pace = (chance.below(3) == 0).then(|| (1 + u64::try_from(chance.below(9)).unwrap(), Vec::new()));
        Self { max, extra, pace, parent: Some(parent) }
    }

    fn limit(&self) -> Limit {
        let limit = Limit::own(self.max);
        let limit = if self.extra > 0 { limit.stretch(0, 100) } else { limit };
        match &self.pace {
            Some((pace, _)) => limit.rate(Rate::new(1, Duration::from_micros(*pace)).burst(2)),
            None => limit,
        }
    }

    /// Counts the tokens by walking through all that were taken; in microseconds, of which `pace` make one.
    fn has_token(&self, now: u64) -> bool {
        let Some((pace, taken)) = &self.pace else { return true };
        let (mut saved, mut at) = (2 * pace, 0);
        for time in taken {
            saved = (saved + time - at).min(2 * pace) - pace;
            at = *time;
        }
        (saved + now - at).min(2 * pace) >= *pace
    }
}

/// A table with less room than there are notes: what it picks was noted, in order; what it lost it owns up to.
fn run_small(chance: &mut Chance, kinds: &[Kind]) {
    let runs_max = 1 + chance.below(4);
    let mut table = Table::new(Limits::new(1000), runs_max);
    let mut noted = Vec::new();
    for _ in 0..chance.below(12) {
        let (kind, priority, n) = (chance.of(kinds), chance.below(3), 1 + chance.below(2));
        let note = note(
            kind,
            i64::try_from(priority).unwrap(),
            i64::try_from(chance.below(3)).unwrap(),
            Lane::Plain,
            n,
        );
        noted.extend(std::iter::repeat_n((note.priority, note.ready_at, note.kind.clone()), n));
        table.note(&note);
        assert!(table.len() <= runs_max);
    }
    let more = table.more();
    let picked: Vec<_> = std::iter::from_fn(|| table.pick()).collect();
    assert!(table.is_empty(), "what is in the table can be picked");
    noted.sort();
    if more {
        assert!(picked.len() < noted.len(), "it says that it lost something");
        assert!(!picked.is_empty(), "it does not lose what it had");
        let mut rest = noted.into_iter();
        assert!(picked.iter().all(|pick| rest.any(|noted| (&noted.2, noted.0) == (&pick.0, pick.1))));
    } else {
        let expected: Vec<_> =
            noted.into_iter().map(|(priority, _, kind)| (kind, priority, Lane::Plain)).collect();
        assert_eq!(picked, expected);
    }
}
