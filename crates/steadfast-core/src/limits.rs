//! Who has room: a tree of counters.
//!
//! A kind belongs to one limit, a limit to a parent, all to the root, which is the bucket's slots. Booking
//! takes one slot at every limit on the way up, or none at all.

use crate::kind::Kind;
use crate::table::Lane;
use std::collections::HashMap;

/// One bucket's limits and what is booked of them.
#[derive(Debug)]
pub struct Limits {
    limits: Vec<Limit>,
    kinds: HashMap<Kind, LimitId>,
}

/// A counter with a ceiling.
#[derive(Debug, Clone, Copy)]
pub struct Limit {
    /// Slots it has.
    pub max: usize,
    /// Slots that are booked.
    pub used: usize,
    /// Whether it counts as full whatever is booked.
    pub shut: bool,
    parent: Option<LimitId>,
}

/// Names a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LimitId(usize);

impl Limits {
    /// All slots of the bucket.
    pub const ROOT: LimitId = LimitId(0);
    /// Tasks that took workers down are run one at a time, so that the culprit convicts itself and not its
    /// neighbours.
    pub const SUSPECTS: LimitId = LimitId(1);

    /// A bucket with so many slots.
    pub fn new(slots: usize) -> Self {
        let root = Limit { max: slots, used: 0, shut: false, parent: None };
        let suspects = Limit { max: 1, used: 0, shut: false, parent: None };
        Self { limits: vec![root, suspects], kinds: HashMap::new() }
    }

    /// A limit below another.
    pub fn add(&mut self, parent: LimitId, max: usize) -> LimitId {
        self.limits.push(Limit { max, used: 0, shut: false, parent: Some(parent) });
        LimitId(self.limits.len() - 1)
    }

    /// Puts a kind under a limit. A kind that was put nowhere is under the root.
    pub fn assign(&mut self, kind: Kind, limit: LimitId) {
        self.kinds.insert(kind, limit);
    }

    /// A limit as it stands.
    pub fn get(&self, limit: LimitId) -> Limit {
        self.limits[limit.0]
    }

    /// Slots left at this limit alone.
    pub fn room(&self, limit: LimitId) -> usize {
        let limit = self.get(limit);
        if limit.shut { 0 } else { limit.max.saturating_sub(limit.used) }
    }

    /// Slots left for a kind, at every limit on the way up.
    pub fn room_for(&self, kind: &Kind, lane: Lane) -> usize {
        self.path(kind, lane).map(|limit| self.room(limit)).min().unwrap_or(0)
    }

    /// The lowest limit that stands in the way of one more.
    pub fn blocker(&self, kind: &Kind, lane: Lane) -> Option<LimitId> {
        self.path(kind, lane).find(|limit| self.room(*limit) == 0)
    }

    pub(crate) fn set_shut(&mut self, limit: LimitId, shut: bool) {
        self.limits[limit.0].shut = shut;
    }

    /// Takes a slot at every limit of the kind. False, and nothing taken, if one is full.
    #[must_use]
    pub fn book(&mut self, kind: &Kind, lane: Lane) -> bool {
        if self.blocker(kind, lane).is_some() {
            return false;
        }
        self.each(kind, lane, |limit| limit.used += 1);
        true
    }

    /// Takes a slot at every limit of the kind, full or not: for what was taken over and runs already. Until as many
    /// are free again, nobody else gets one.
    pub fn book_over(&mut self, kind: &Kind, lane: Lane) {
        self.each(kind, lane, |limit| limit.used += 1);
    }

    /// Gives the slots of one booking back.
    pub fn free(&mut self, kind: &Kind, lane: Lane) {
        self.each(kind, lane, |limit| {
            debug_assert!(limit.used > 0, "a slot was freed twice");
            limit.used = limit.used.saturating_sub(1);
        });
    }

    /// The limits of a kind from its own up to the root; suspects have one more.
    pub fn path(&self, kind: &Kind, lane: Lane) -> impl Iterator<Item = LimitId> + '_ {
        let own = self.kinds.get(kind).copied().unwrap_or(Self::ROOT);
        let up = std::iter::successors(Some(own), |limit| self.limits[limit.0].parent);
        up.chain((lane == Lane::Suspect).then_some(Self::SUSPECTS))
    }

    fn each(&mut self, kind: &Kind, lane: Lane, mut change: impl FnMut(&mut Limit)) {
        let mut next = Some(self.kinds.get(kind).copied().unwrap_or(Self::ROOT));
        while let Some(limit) = next {
            change(&mut self.limits[limit.0]);
            next = self.limits[limit.0].parent;
        }
        if lane == Lane::Suspect {
            change(&mut self.limits[Self::SUSPECTS.0]);
        }
    }
}
