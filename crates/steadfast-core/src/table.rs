//! Who is next: the worker's ordered hints in memory.
//!
//! The table knows that so many tasks of a kind became ready at such a time; it does not know which. Next is
//! the most urgent priority, then the kind whose head waits longest, among the kinds with room. It owns the
//! bucket's [`Limits`], so that picking and booking are one step.
//!
//! A kind without room is laid aside under the limit that stopped it and costs nothing until that limit has
//! room again, however long its backlog.

use crate::kind::Kind;
use crate::limits::{LimitId, Limits};
use crate::priority::Priority;
use crate::task::Task;
use crate::time::Time;
use alarms::Alarms;
use heads::{Head, Heads, Place};
use queue::Queue;
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

mod alarms;
mod heads;
mod queue;

#[cfg(test)]
mod cost;

/// The ordered hints of one bucket.
#[derive(Debug)]
pub struct Table {
    limits: Limits,
    queues: HashMap<Line, Queue>,
    heads: Heads,
    /// When limits for which somebody waits get their next token.
    alarms: Alarms,
    runs: usize,
    runs_max: usize,
    /// Notes that came while a look was under way: its answer may not know them.
    fresh: Option<Vec<Note>>,
    more: bool,
}

/// Word that tasks are ready.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Note {
    /// Of which kind.
    pub kind: Kind,
    /// How urgent.
    pub priority: Priority,
    /// Since when.
    pub ready_at: Time,
    /// Among others or alone.
    pub lane: Lane,
    /// How many.
    pub n: usize,
}

/// So many tasks that a grab should bring.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Demand {
    /// Of which kind.
    pub kind: Kind,
    /// How urgent.
    pub priority: Priority,
    /// Among others or alone.
    pub lane: Lane,
    /// How many.
    pub n: usize,
}

impl Demand {
    /// Whether a task is one of those that it asks for.
    pub fn is_for(&self, task: &Task) -> bool {
        (task.priority, task.lane(), &task.kind) == (self.priority, self.lane, &self.kind)
    }
}

/// Whether a task may be run among others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Lane {
    /// Like any other.
    #[default]
    Plain,
    /// It was lost with its worker twice or more: one at a time in a worker.
    Suspect,
}

type Line = (Kind, Lane);

impl Table {
    /// A table over these limits that keeps at most `runs_max` different times in mind.
    pub fn new(limits: Limits, runs_max: usize) -> Self {
        Self {
            limits,
            queues: HashMap::new(),
            heads: Heads::default(),
            alarms: Alarms::default(),
            runs: 0,
            runs_max,
            fresh: None,
            more: false,
        }
    }

    /// Whether it has, or may get from a look under way, tasks of a kind.
    pub fn may_have(&self, kind: &Kind) -> bool {
        let lanes = [Lane::Plain, Lane::Suspect];
        self.fresh.is_some() || lanes.iter().any(|lane| self.queues.contains_key(&(kind.clone(), *lane)))
    }

    /// The limits, to read.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The limits, to add to. Booking and freeing go through the table, and a kind is put under its limit
    /// before it is first noted.
    pub fn limits_mut(&mut self) -> &mut Limits {
        &mut self.limits
    }

    /// Takes word that tasks are ready. Beyond its capacity it only remembers that there is more.
    pub fn note(&mut self, note: &Note) {
        if note.n == 0 {
            return;
        }
        if let Some(fresh) = &mut self.fresh {
            if fresh.len() < self.runs_max {
                fresh.push(note.clone());
            } else {
                self.more = true;
            }
        }
        let line = (note.kind.clone(), note.lane);
        if self.queues.get_mut(&line).is_some_and(|queue| queue.add(note)) {
            return;
        }
        if self.runs >= self.runs_max {
            self.more = true;
        } else {
            self.queues.entry(line.clone()).or_default().insert(note);
            self.runs += 1;
            self.place_head(&line);
        }
    }

    /// The next task to grab, booked; none if nobody has both a task and room.
    pub fn pick(&mut self) -> Option<(Kind, Priority, Lane)> {
        self.pick_run(1).map(|(head, _)| (head.line.0, head.priority, head.line.1))
    }

    /// Up to `n_max` picks, gathered into demands.
    pub fn take(&mut self, n_max: usize) -> Vec<Demand> {
        let (mut demands, mut left) = (BTreeMap::<(Kind, Priority, Lane), usize>::new(), n_max);
        while left > 0
            && let Some((head, n)) = self.pick_run(left)
        {
            *demands.entry((head.line.0, head.priority, head.line.1)).or_default() += n;
            left -= n;
        }
        demands.into_iter().map(|((kind, priority, lane), n)| Demand { kind, priority, lane, n }).collect()
    }

    /// The next head, with as many of its tasks as are noted for the same time and have room, all booked: nobody comes
    /// between those.
    fn pick_run(&mut self, n_max: usize) -> Option<(Head, usize)> {
        loop {
            let head = self.settle_head()?;
            let most = self.queues.get(&head.line).map_or(0, |queue| queue.noted(head.priority)).min(n_max);
            let booked =
                (0..most).take_while(|_| self.book(&head.line.0, head.line.1, head.priority)).count();
            if booked > 0 {
                if let Some(queue) = self.queues.get_mut(&head.line) {
                    self.runs -= queue.take(head.priority, booked);
                }
                self.place_head(&head.line);
                return Some((head, booked));
            }
            // Its user's own word was no, and shut it: it is laid aside when it is met again.
        }
    }

    /// Whether some kind has both a task and room: then nobody may pass it by being born running.
    pub fn has_next(&mut self) -> bool {
        self.settle_head().is_some()
    }

    /// Books a slot for a task that is not in the table.
    #[must_use]
    pub fn book(&mut self, kind: &Kind, lane: Lane, priority: Priority) -> bool {
        let booked = self.limits.book(kind, lane, priority);
        if booked && !self.heads.are_open() {
            // It took tokens: whoever waits for more has to be woken.
            for limit in self.limits.path(kind, lane).collect::<Vec<_>>() {
                self.set_alarm(limit);
            }
        }
        booked
    }

    /// Books a slot for a task that is not in the table, whether there is room or not.
    pub fn book_over(&mut self, kind: &Kind, lane: Lane) {
        self.limits.book_over(kind, lane);
    }

    /// Frees a slot and lets the best of those it held back come forward.
    pub fn free(&mut self, kind: &Kind, lane: Lane) {
        self.limits.free(kind, lane);
        self.come_forward(kind, lane);
    }

    /// Takes a booking back that brought no run.
    pub fn undo(&mut self, kind: &Kind, lane: Lane) {
        self.limits.undo(kind, lane);
        self.come_forward(kind, lane);
    }

    /// Lets time pass: tokens come, and as many of those that waited for them come forward.
    pub fn pass(&mut self, now: Duration) {
        self.limits.set_now(now);
        while let Some(limit) = self.alarms.take_due(now) {
            for _ in 0..self.limits.room_at(limit, Priority::URGENT) {
                if !self.come_forward_at(limit) {
                    break;
                }
            }
            self.set_alarm(limit);
        }
    }

    /// When tokens come for which somebody waits.
    pub fn wake_at(&mut self) -> Option<Duration> {
        self.settle_head();
        self.alarms.first()
    }

    /// Kinds whose book said no since this was last asked, with when to ask it again.
    pub fn take_refused(&mut self) -> Vec<(Kind, Duration)> {
        self.limits.take_refused()
    }

    /// Makes a limit count as full until it is opened: somebody outside said that there is no room.
    pub fn shut(&mut self, limit: LimitId) {
        self.limits.set_shut(limit, true);
    }

    /// Opens a limit again and lets all that waited for it come forward.
    pub fn open(&mut self, limit: LimitId) {
        self.limits.set_shut(limit, false);
        for head in self.heads.take_shut(limit) {
            self.put(Place { shut: None, head });
        }
    }

    /// Forgets what it knew of a kind at a priority: a grab found fewer than were noted.
    pub fn forget(&mut self, kind: &Kind, priority: Priority, lane: Lane) {
        let key = (kind.clone(), lane);
        if let Some(queue) = self.queues.get_mut(&key) {
            self.runs -= queue.forget(priority);
            self.place_head(&key);
            // Its head may have come forward for a slot that nobody takes now.
            self.come_forward(kind, lane);
        }
    }

    /// A look at the store begins: what is noted from now on outlives its answer.
    pub fn look_begins(&mut self) {
        self.fresh = Some(Vec::new());
        self.more = false;
    }

    /// A look ended. Its answer replaces all that was known before it began.
    pub fn look_ends(&mut self, notes: &[Note], more: bool) {
        let fresh = self.fresh.take().unwrap_or_default();
        self.queues.clear();
        self.heads.clear();
        self.alarms = Alarms::default();
        self.runs = 0;
        self.more |= more;
        for note in notes.iter().chain(&fresh) {
            self.note(note);
        }
    }

    /// A look failed: what was known stays.
    pub fn look_fails(&mut self) {
        self.fresh = None;
        self.more = true;
    }

    /// Whether the store has more than the table knows.
    pub fn more(&self) -> bool {
        self.more
    }

    /// How many different times it keeps in mind.
    pub fn len(&self) -> usize {
        self.runs
    }

    /// Whether it knows of nothing.
    pub fn is_empty(&self) -> bool {
        self.runs == 0
    }

    /// The first open head that has room; those before it that have none are laid aside.
    fn settle_head(&mut self) -> Option<Head> {
        if self.limits.room(Limits::ROOT) == 0 {
            return None;
        }
        loop {
            let head = self.heads.first_open()?.clone();
            let blocker = self.limits.blocker(&head.line.0, head.line.1, head.priority);
            let Some(blocker) = blocker else { return Some(head) };
            self.lay_aside(head, blocker);
        }
    }

    /// Lays a head aside. It may have come forward for a slot elsewhere on its path that it now leaves to
    /// the next one waiting there.
    fn lay_aside(&mut self, head: Head, blocker: LimitId) {
        self.heads.withdraw(&Place { shut: None, head: head.clone() });
        self.come_forward(&head.line.0, head.line.1);
        self.put(Place { shut: Some(blocker), head });
        self.set_alarm(blocker);
    }

    /// At each limit of a kind that has room, moves the best head that waits for it to the open ones.
    ///
    /// This keeps as many heads open as a limit has room, all better than those that still wait for it: a
    /// slot that becomes free, and a head that gives up its chance of one, bring one head forward.
    fn come_forward(&mut self, kind: &Kind, lane: Lane) {
        if self.heads.are_open() {
            return;
        }
        for limit in self.limits.path(kind, lane).collect::<Vec<_>>() {
            self.come_forward_at(limit);
        }
    }

    /// The best head that waits for a limit is the most urgent one: if even that has no room, nobody has.
    fn come_forward_at(&mut self, limit: LimitId) -> bool {
        let Some(head) = self.heads.first_shut(limit).cloned() else { return false };
        if self.limits.room_at(limit, head.priority) == 0 {
            return false;
        }
        self.heads.withdraw(&Place { shut: Some(limit), head: head.clone() });
        self.put(Place { shut: None, head });
        true
    }

    /// Somebody who waits for a limit is woken when it gets its next token.
    fn set_alarm(&mut self, limit: LimitId) {
        if self.heads.first_shut(limit).is_some()
            && let Some(at) = self.limits.next_token_at(limit)
        {
            self.alarms.set(limit, at);
        }
    }

    /// Brings the sets in line with a queue that changed. A changed head is open until it proves to be shut.
    fn place_head(&mut self, line: &Line) {
        let Some(queue) = self.queues.get_mut(line) else { return };
        let next = queue.first(line);
        if next.as_ref() == queue.head.as_ref().map(|place| &place.head) {
            return;
        }
        if let Some(place) = queue.head.take() {
            self.heads.withdraw(&place);
        }
        match next {
            Some(head) => self.put(Place { shut: None, head }),
            None => {
                self.queues.remove(line);
            }
        }
    }

    /// Puts a head where it belongs.
    fn put(&mut self, place: Place) {
        let Some(queue) = self.queues.get_mut(&place.head.line) else { return };
        queue.head = Some(place.clone());
        self.heads.put(place);
    }
}
