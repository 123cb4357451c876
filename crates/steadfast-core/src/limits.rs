//! Who has room: a tree of counters.
//!
//! A kind belongs to one limit, a limit to a parent, all to the root, which is the bucket's slots. Booking
//! takes one slot, and one token where there is a rate, at every limit on the way up, or none at all.

use crate::book::{Book, Booked, Room};
use crate::kind::Kind;
use crate::priority::Priority;
use crate::rate::Tokens;
use crate::table::Lane;
use crate::worker_limit::Limit;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// One bucket's limits and what is booked of them.
#[derive(Debug)]
pub struct Limits {
    counters: Vec<Counter>,
    /// Places of counters that were removed.
    spare: Vec<LimitId>,
    kinds: HashMap<Kind, LimitId>,
    /// Kinds whose users have a word of their own.
    books: HashMap<Kind, Booked>,
    /// Kinds whose book said no since somebody last asked for them, with when to ask again.
    refused: Vec<(Kind, Duration)>,
    now: Duration,
}

/// A counter with a ceiling.
#[derive(Debug, Clone, Copy)]
pub struct Counter {
    /// Slots it has.
    pub max: usize,
    /// Slots that are booked.
    pub used: usize,
    /// Whether it counts as full whatever is booked.
    pub shut: bool,
    /// How many more there are for those at least as urgent as this.
    extra: Option<(usize, Priority)>,
    tokens: Option<Tokens>,
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
        let mut limits = Self {
            counters: Vec::new(),
            spare: Vec::new(),
            kinds: HashMap::new(),
            books: HashMap::new(),
            refused: Vec::new(),
            now: Duration::ZERO,
        };
        limits.push(None, &Limit::own(slots));
        limits.push(None, &Limit::own(1));
        limits
    }

    /// A limit below another.
    pub fn add(&mut self, parent: LimitId, limit: impl Into<Limit>) -> LimitId {
        self.push(Some(parent), &limit.into())
    }

    /// Puts a kind under a limit. A kind that was put nowhere is under the root.
    pub fn assign(&mut self, kind: Kind, limit: LimitId) {
        self.kinds.insert(kind, limit);
    }

    /// Has a book asked about a kind. Its no shuts the kind's own limit, which must be nobody else's.
    pub fn ask(&mut self, kind: Kind, book: Arc<dyn Book>) {
        self.books.insert(kind.clone(), Booked::new(kind, book));
    }

    /// Whether a limit has nothing to remember: made anew, it would be the same.
    pub fn is_idle(&self, limit: LimitId) -> bool {
        let Counter { used, shut, tokens, .. } = self.get(limit);
        used == 0 && !shut && tokens.is_none_or(|tokens| tokens.next_at(self.now).is_none())
    }

    /// Forgets a kind, and the limits that are nobody else's, which must be idle.
    pub fn remove(&mut self, kind: &Kind, own: &[LimitId]) {
        debug_assert!(own.iter().all(|limit| self.is_idle(*limit)), "a limit in use was removed");
        self.kinds.remove(kind);
        self.books.remove(kind);
        self.spare.extend_from_slice(own);
    }

    /// A limit as it stands.
    pub fn get(&self, limit: LimitId) -> Counter {
        self.counters[limit.0]
    }

    /// Slots left at this limit alone, for those who are not urgent.
    pub fn room(&self, limit: LimitId) -> usize {
        self.room_at(limit, Priority::LAST)
    }

    /// Slots left at this limit alone.
    pub fn room_at(&self, limit: LimitId, priority: Priority) -> usize {
        self.get(limit).room(priority, self.now)
    }

    /// Slots left for a kind, at every limit on the way up.
    pub fn room_for(&self, kind: &Kind, lane: Lane, priority: Priority) -> usize {
        self.path(kind, lane).map(|limit| self.room_at(limit, priority)).min().unwrap_or(0)
    }

    /// The lowest limit that stands in the way of one more.
    pub fn blocker(&self, kind: &Kind, lane: Lane, priority: Priority) -> Option<LimitId> {
        self.path(kind, lane).find(|limit| self.room_at(*limit, priority) == 0)
    }

    /// Takes a slot at every limit of the kind. False, and nothing taken, if one is full or the kind's book says no;
    /// then the kind's own limit is shut.
    #[must_use]
    pub fn book(&mut self, kind: &Kind, lane: Lane, priority: Priority) -> bool {
        if self.blocker(kind, lane, priority).is_some() || !self.book_with_user(kind, priority) {
            return false;
        }
        let now = self.now;
        self.each(kind, lane, |counter| {
            counter.used += 1;
            if let Some(tokens) = &mut counter.tokens {
                tokens.take(now);
            }
        });
        true
    }

    /// Takes a slot at every limit of the kind, full or not: for what was taken over and runs already. Until as many
    /// are free again, nobody else gets one.
    pub fn book_over(&mut self, kind: &Kind, lane: Lane) {
        self.each(kind, lane, |limit| limit.used += 1);
        if let Some(booked) = self.books.get_mut(kind) {
            booked.book_over();
        }
    }

    /// Gives the slots of one booking back.
    pub fn free(&mut self, kind: &Kind, lane: Lane) {
        self.each(kind, lane, |counter| {
            debug_assert!(counter.used > 0, "a slot was freed twice");
            counter.used = counter.used.saturating_sub(1);
        });
        if let Some(booked) = self.books.get_mut(kind) {
            booked.free();
        }
    }

    /// Takes a booking back that brought no run: nothing started, so its tokens are free too.
    pub fn undo(&mut self, kind: &Kind, lane: Lane) {
        let now = self.now;
        self.each(kind, lane, |counter| {
            if let Some(tokens) = &mut counter.tokens {
                tokens.put_back(now);
            }
        });
        self.free(kind, lane);
    }

    /// The limits of a kind from its own up to the root; suspects have one more.
    pub fn path(&self, kind: &Kind, lane: Lane) -> impl Iterator<Item = LimitId> + '_ {
        let up = std::iter::successors(Some(self.own(kind)), |limit| self.counters[limit.0].parent);
        up.chain((lane == Lane::Suspect).then_some(Self::SUSPECTS))
    }

    /// Kinds whose book said no since this was last asked, with when to ask it again.
    pub(crate) fn take_refused(&mut self) -> Vec<(Kind, Duration)> {
        std::mem::take(&mut self.refused)
    }

    pub(crate) fn set_now(&mut self, now: Duration) {
        self.now = self.now.max(now);
    }

    /// When a limit has one token more than now; none if it has no rate or all it may save up.
    pub(crate) fn next_token_at(&self, limit: LimitId) -> Option<Duration> {
        self.get(limit).tokens.and_then(|tokens| tokens.next_at(self.now))
    }

    pub(crate) fn set_shut(&mut self, limit: LimitId, shut: bool) {
        self.counters[limit.0].shut = shut;
    }

    fn book_with_user(&mut self, kind: &Kind, priority: Priority) -> bool {
        let Some(booked) = self.books.get_mut(kind) else { return true };
        let Room::No { again_in } = booked.book(priority) else { return true };
        self.refused.extend(again_in.map(|wait| (kind.clone(), wait)));
        self.set_shut(self.own(kind), true);
        false
    }

    fn push(&mut self, parent: Option<LimitId>, limit: &Limit) -> LimitId {
        let tokens = limit.pace().map(|rate| Tokens::full(rate, self.now));
        let (max, extra) = (limit.max(), limit.extra());
        let counter = Counter { max, used: 0, shut: false, extra, tokens, parent };
        if let Some(limit) = self.spare.pop() {
            self.counters[limit.0] = counter;
            return limit;
        }
        self.counters.push(counter);
        LimitId(self.counters.len() - 1)
    }

    fn own(&self, kind: &Kind) -> LimitId {
        self.kinds.get(kind).copied().unwrap_or(Self::ROOT)
    }

    fn each(&mut self, kind: &Kind, lane: Lane, mut change: impl FnMut(&mut Counter)) {
        let mut next = Some(self.own(kind));
        while let Some(limit) = next {
            change(&mut self.counters[limit.0]);
            next = self.counters[limit.0].parent;
        }
        if lane == Lane::Suspect {
            change(&mut self.counters[Self::SUSPECTS.0]);
        }
    }
}

impl Counter {
    fn room(&self, priority: Priority, now: Duration) -> usize {
        if self.shut {
            return 0;
        }
        let extra = self.extra.filter(|(_, least)| priority <= *least).map_or(0, |(extra, _)| extra);
        let slots = self.max.saturating_add(extra).saturating_sub(self.used);
        self.tokens.map_or(slots, |tokens| slots.min(tokens.n(now)))
    }
}
