//! The limits against counters that are counted anew at every question.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod common;
#[allow(unreachable_pub, reason = "the testkit's own, which the core cannot depend on")]
#[path = "../../steadfast-testkit/src/shown.rs"]
mod shown;

use common::{Chance, each_seed};
use shown::Shown;
use std::time::Duration;
use steadfast_core::{Kind, Lane, Limit, LimitId, Limits, Priority, Rate, Table, Tokens};

const LANES: [Lane; 2] = [Lane::Plain, Lane::Suspect];
const NORMAL: Priority = Priority::LAST;

const CASES: u64 = 100_000;

#[test]
fn limits_count_like_a_list_of_bookings() {
    let kinds: Vec<Kind> = ["a", "b", "c", "d"].map(|name| Kind::new(name).unwrap()).into();
    each_seed(CASES, |chance| Case::new(chance, &kinds).run(chance));
    Shown {
        promise: "G9 limits",
        store: "all",
        done: format!("the limits of a worker against a list of bookings, {CASES} random cases"),
        seen: "the same count in all".into(),
        bar: "in all".into(),
        ok: true,
    }
    .hold();
}

#[test]
fn a_booking_takes_every_slot_on_the_way_up_or_none() {
    let (mail, pay) = (Kind::new("mail").unwrap(), Kind::new("pay").unwrap());
    let mut limits = Limits::new(10);
    let group = limits.add(Limits::ROOT, 2);
    let own = limits.add(group, 1);
    limits.assign(mail.clone(), own);
    limits.assign(pay.clone(), group);

    assert!(limits.book(&mail, Lane::Plain, NORMAL));
    assert!(!limits.book(&mail, Lane::Plain, NORMAL));
    assert_eq!(limits.blocker(&mail, Lane::Plain, NORMAL), Some(own));
    assert!(limits.book(&pay, Lane::Plain, NORMAL));
    assert!(!limits.book(&pay, Lane::Plain, NORMAL));
    assert_eq!((limits.get(own).used, limits.get(group).used, limits.get(Limits::ROOT).used), (1, 2, 2));

    limits.free(&mail, Lane::Plain);
    assert_eq!((limits.get(own).used, limits.get(group).used, limits.get(Limits::ROOT).used), (0, 1, 1));
}

#[test]
fn only_one_suspect_is_booked_whatever_its_kind() {
    let (mail, pay) = (Kind::new("mail").unwrap(), Kind::new("pay").unwrap());
    let mut limits = Limits::new(10);
    assert!(limits.book(&mail, Lane::Suspect, NORMAL));
    assert!(!limits.book(&pay, Lane::Suspect, NORMAL));
    assert_eq!(limits.blocker(&pay, Lane::Suspect, NORMAL), Some(Limits::SUSPECTS));
    assert!(limits.book(&mail, Lane::Plain, NORMAL));
    limits.free(&mail, Lane::Suspect);
    assert!(limits.book(&pay, Lane::Suspect, NORMAL));
}

#[test]
fn a_limit_has_something_to_remember_until_it_is_as_it_was_made() {
    let (mail, pay) = (Kind::new("mail").unwrap(), Kind::new("pay").unwrap());
    let mut table = Table::new(Limits::new(10), 10);
    let own = table.limits_mut().add(Limits::ROOT, Limit::own(2).rate(Rate::per_second(1)));
    table.limits_mut().assign(mail.clone(), own);
    assert!(table.limits().is_idle(own));
    assert!(table.book(&mail, Lane::Plain, NORMAL));
    assert!(!table.limits().is_idle(own), "a slot is booked");
    table.free(&mail, Lane::Plain);
    assert!(!table.limits().is_idle(own), "a token is out");
    table.pass(Duration::from_secs(1));
    assert!(table.limits().is_idle(own));
    table.shut(own);
    assert!(!table.limits().is_idle(own), "it is shut");
    table.open(own);
    table.limits_mut().remove(&mail, &[own]);
    assert_eq!(table.limits_mut().add(Limits::ROOT, 1), own, "its place is used anew");
    table.limits_mut().assign(pay.clone(), own);
    assert!(table.book(&mail, Lane::Plain, NORMAL) && table.book(&pay, Lane::Plain, NORMAL));
    assert_eq!(table.limits().get(own).used, 1);
}

#[test]
fn a_limit_of_none_lets_nobody_in() {
    let mail = Kind::new("mail").unwrap();
    let mut limits = Limits::new(0);
    assert_eq!(limits.room_for(&mail, Lane::Plain, NORMAL), 0);
    assert!(!limits.book(&mail, Lane::Plain, NORMAL));
}

#[test]
fn urgent_tasks_go_over_a_stretched_limit_by_their_share() {
    let mail = Kind::new("mail").unwrap();
    let mut limits = Limits::new(100);
    let own = limits.add(Limits::ROOT, Limit::own(10).stretch(2, 20));
    limits.assign(mail.clone(), own);
    let mut book = |priority: i64| limits.book(&mail, Lane::Plain, Priority::new(priority).unwrap());
    assert!((0..10).all(|_| book(5)) && !book(5) && !book(3));
    assert!(book(2) && book(0) && !book(0));
}

#[test]
fn a_booking_that_brought_no_run_gives_its_token_back() {
    let mail = Kind::new("mail").unwrap();
    let mut limits = Limits::new(100);
    let own = limits.add(Limits::ROOT, Rate::per_second(1));
    limits.assign(mail.clone(), own);
    assert!(limits.book(&mail, Lane::Plain, NORMAL) && !limits.book(&mail, Lane::Plain, NORMAL));
    limits.undo(&mail, Lane::Plain);
    assert!(limits.book(&mail, Lane::Plain, NORMAL));
    limits.free(&mail, Lane::Plain);
    assert!(!limits.book(&mail, Lane::Plain, NORMAL));
}

/// Whoever takes tokens as fast as they come gets the rate, to the microsecond, and never more than the burst at once.
#[test]
fn tokens_come_at_their_rate_whoever_asks_how_often() {
    each_seed(20_000, |chance| {
        let (n, per_us) = (1 + chance.below(50), 1 + chance.below(3_000_000));
        let burst = 1 + chance.below(5);
        let rate = Rate::new(u32::try_from(n).unwrap(), micros(per_us)).burst(u32::try_from(burst).unwrap());
        let (mut tokens, mut now) = (Tokens::full(rate, Duration::ZERO), 0);
        let mut taken: Vec<usize> = Vec::new();
        for _ in 0..chance.below(40) {
            now = match tokens.next_at(micros(now)) {
                Some(next) if chance.below(2) == 0 => {
                    let had = tokens.n(micros(now));
                    let next = usize::try_from(next.as_micros()).unwrap();
                    assert_eq!(tokens.n(micros(next - 1)), had, "it came sooner than it was said to");
                    assert_eq!(tokens.n(micros(next)), had + 1);
                    next
                }
                _ => now + chance.below(2 * per_us),
            };
            assert_eq!(tokens.n(micros(now)), naive(&taken, n, per_us, burst, now));
            if tokens.n(micros(now)) > 0 && chance.below(4) > 0 {
                tokens.take(micros(now));
                taken.push(now);
                if chance.below(5) == 0 {
                    tokens.put_back(micros(now));
                    taken.pop();
                }
            }
        }
    });
}

/// Tokens counted by walking through all that were taken; in parts, of which `per_us` make one.
fn naive(taken: &[usize], n: usize, per_us: usize, burst: usize, now: usize) -> usize {
    let (mut parts, mut at) = (burst * per_us, 0);
    for time in taken {
        parts = (parts + (time - at) * n).min(burst * per_us) - per_us;
        at = *time;
    }
    (parts + (now - at) * n).min(burst * per_us) / per_us
}

fn micros(micros: usize) -> Duration {
    Duration::from_micros(u64::try_from(micros).unwrap())
}

/// A tree of limits beside the list of what is booked.
struct Case<'a> {
    kinds: &'a [Kind],
    limits: Limits,
    /// Ceiling and parent of each limit.
    tree: Vec<(LimitId, usize, Option<usize>)>,
    /// How far urgent tasks may go over each limit.
    extra: Vec<usize>,
    /// The limit of each kind, by its place in the tree.
    own: Vec<usize>,
    booked: Vec<(usize, Lane)>,
}

impl<'a> Case<'a> {
    fn new(chance: &mut Chance, kinds: &'a [Kind]) -> Self {
        let slots = chance.below(6);
        let mut limits = Limits::new(slots);
        let (mut tree, mut extra) = (vec![(Limits::ROOT, slots, None)], vec![0]);
        for _ in 0..chance.below(5) {
            let (parent, max) = (chance.below(tree.len()), chance.below(4));
            let stretch = max > 0 && chance.below(2) == 0;
            let limit = if stretch { Limit::own(max).stretch(2, 50) } else { Limit::own(max) };
            tree.push((limits.add(tree[parent].0, limit), max, Some(parent)));
            extra.push(if stretch { max.div_ceil(2) } else { 0 });
        }
        let own: Vec<usize> = kinds.iter().map(|_| chance.below(tree.len())).collect();
        for (kind, limit) in kinds.iter().zip(&own) {
            // A kind that was put nowhere is under the root: leave some of those there.
            if *limit > 0 || chance.below(2) == 0 {
                limits.assign(kind.clone(), tree[*limit].0);
            }
        }
        Self { kinds, limits, tree, extra, own, booked: Vec::new() }
    }

    fn run(mut self, chance: &mut Chance) {
        for _ in 0..chance.below(16) {
            if chance.below(3) == 0 && !self.booked.is_empty() {
                let (kind, lane) = self.booked.swap_remove(chance.below(self.booked.len()));
                self.limits.free(&self.kinds[kind], lane);
            } else {
                let (kind, lane) = (chance.below(self.kinds.len()), *chance.of(&LANES));
                let priority = Priority::new(*chance.of(&[2, 3])).unwrap();
                let room = self.room_for(kind, lane, priority.get() == 2);
                assert_eq!(self.limits.room_for(&self.kinds[kind], lane, priority), room);
                assert_eq!(self.limits.blocker(&self.kinds[kind], lane, priority).is_some(), room == 0);
                assert_eq!(self.limits.book(&self.kinds[kind], lane, priority), room > 0);
                if room > 0 {
                    self.booked.push((kind, lane));
                }
            }
            self.check_counters();
        }
    }

    fn check_counters(&self) {
        for (at, (id, max, _)) in self.tree.iter().enumerate() {
            let seen = self.limits.get(*id);
            assert_eq!((seen.used, seen.max), (self.used(at), *max));
            assert_eq!(self.limits.room(*id), max.saturating_sub(seen.used));
            assert!(seen.used <= max + self.extra[at], "never more is booked than there is");
        }
        assert_eq!(self.limits.get(Limits::SUSPECTS).used, self.suspects());
    }

    fn room_for(&self, kind: usize, lane: Lane, urgent: bool) -> usize {
        let max = |at: usize| self.tree[at].1 + if urgent { self.extra[at] } else { 0 };
        let above = self.path(kind).into_iter().map(|at| max(at).saturating_sub(self.used(at)));
        let alone = (lane == Lane::Suspect).then(|| 1 - self.suspects());
        above.chain(alone).min().unwrap()
    }

    fn used(&self, limit: usize) -> usize {
        self.booked.iter().filter(|(kind, _)| self.path(*kind).contains(&limit)).count()
    }

    fn suspects(&self) -> usize {
        self.booked.iter().filter(|(_, lane)| *lane == Lane::Suspect).count()
    }

    fn path(&self, kind: usize) -> Vec<usize> {
        std::iter::successors(Some(self.own[kind]), |at| self.tree[*at].2).collect()
    }
}
