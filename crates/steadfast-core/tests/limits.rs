//! The limits against counters that are counted anew at every question.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{Chance, each_seed};
use steadfast_core::{Kind, Lane, LimitId, Limits};

const LANES: [Lane; 2] = [Lane::Plain, Lane::Suspect];

#[test]
fn limits_count_like_a_list_of_bookings() {
    let kinds: Vec<Kind> = ["a", "b", "c", "d"].map(|name| Kind::new(name).unwrap()).into();
    each_seed(100_000, |chance| Case::new(chance, &kinds).run(chance));
}

#[test]
fn a_booking_takes_every_slot_on_the_way_up_or_none() {
    let (mail, pay) = (Kind::new("mail").unwrap(), Kind::new("pay").unwrap());
    let mut limits = Limits::new(10);
    let group = limits.add(Limits::ROOT, 2);
    let own = limits.add(group, 1);
    limits.assign(mail.clone(), own);
    limits.assign(pay.clone(), group);

    assert!(limits.book(&mail, Lane::Plain));
    assert!(!limits.book(&mail, Lane::Plain));
    assert_eq!(limits.blocker(&mail, Lane::Plain), Some(own));
    assert!(limits.book(&pay, Lane::Plain));
    assert!(!limits.book(&pay, Lane::Plain));
    assert_eq!((limits.get(own).used, limits.get(group).used, limits.get(Limits::ROOT).used), (1, 2, 2));

    limits.free(&mail, Lane::Plain);
    assert_eq!((limits.get(own).used, limits.get(group).used, limits.get(Limits::ROOT).used), (0, 1, 1));
}

#[test]
fn only_one_suspect_is_booked_whatever_its_kind() {
    let (mail, pay) = (Kind::new("mail").unwrap(), Kind::new("pay").unwrap());
    let mut limits = Limits::new(10);
    assert!(limits.book(&mail, Lane::Suspect));
    assert!(!limits.book(&pay, Lane::Suspect));
    assert_eq!(limits.blocker(&pay, Lane::Suspect), Some(Limits::SUSPECTS));
    assert!(limits.book(&mail, Lane::Plain));
    limits.free(&mail, Lane::Suspect);
    assert!(limits.book(&pay, Lane::Suspect));
}

#[test]
fn a_limit_of_none_lets_nobody_in() {
    let mail = Kind::new("mail").unwrap();
    let mut limits = Limits::new(0);
    assert_eq!(limits.room_for(&mail, Lane::Plain), 0);
    assert!(!limits.book(&mail, Lane::Plain));
}

/// A tree of limits beside the list of what is booked.
struct Case<'a> {
    kinds: &'a [Kind],
    limits: Limits,
    /// Ceiling and parent of each limit.
    tree: Vec<(LimitId, usize, Option<usize>)>,
    /// The limit of each kind, by its place in the tree.
    own: Vec<usize>,
    booked: Vec<(usize, Lane)>,
}

impl<'a> Case<'a> {
    fn new(chance: &mut Chance, kinds: &'a [Kind]) -> Self {
        let slots = chance.below(6);
        let mut limits = Limits::new(slots);
        let mut tree = vec![(Limits::ROOT, slots, None)];
        for _ in 0..chance.below(5) {
            let (parent, max) = (chance.below(tree.len()), chance.below(4));
            tree.push((limits.add(tree[parent].0, max), max, Some(parent)));
        }
        let own: Vec<usize> = kinds.iter().map(|_| chance.below(tree.len())).collect();
        for (kind, limit) in kinds.iter().zip(&own) {
            // A kind that was put nowhere is under the root: leave some of those there.
            if *limit > 0 || chance.below(2) == 0 {
                limits.assign(kind.clone(), tree[*limit].0);
            }
        }
        Self { kinds, limits, tree, own, booked: Vec::new() }
    }

    fn run(mut self, chance: &mut Chance) {
        for _ in 0..chance.below(16) {
            if chance.below(3) == 0 && !self.booked.is_empty() {
                let (kind, lane) = self.booked.swap_remove(chance.below(self.booked.len()));
                self.limits.free(&self.kinds[kind], lane);
            } else {
                let (kind, lane) = (chance.below(self.kinds.len()), *chance.of(&LANES));
                let room = self.room_for(kind, lane);
                assert_eq!(self.limits.room_for(&self.kinds[kind], lane), room);
                assert_eq!(self.limits.blocker(&self.kinds[kind], lane).is_some(), room == 0);
                assert_eq!(self.limits.book(&self.kinds[kind], lane), room > 0);
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
            assert_eq!(self.limits.room(*id), max - seen.used, "never more is booked than there is");
        }
        assert_eq!(self.limits.get(Limits::SUSPECTS).used, self.suspects());
    }

    fn room_for(&self, kind: usize, lane: Lane) -> usize {
        let above = self.path(kind).into_iter().map(|at| self.tree[at].1 - self.used(at));
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
