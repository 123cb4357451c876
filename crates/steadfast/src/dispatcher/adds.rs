//! From a caller's `add` to the committed row, and from there to a run.

use super::Dispatcher;
use super::hold::{HOLD_MAX, Held};
use crate::dues::Poke;
use crate::error::{Error, Result};
use crate::news::{Adding, Flight, News};
use crate::settle::add_surely;
use std::collections::BTreeSet;
use std::sync::Arc;
use steadfast_core::abort::{self, Point};
use steadfast_core::seam::{Add, Added, Adds, Birth};
use steadfast_core::{
    Bucket, Kind, Lane, NewTask, Note, Policy, Priority, Repeat, Status, StoreError, TaskId, Time, When,
};
use tokio::sync::oneshot;

/// Most tasks in one batch.
const BATCH_MAX: usize = 1000;
/// Most payload bytes in one batch; a single larger task goes alone.
const BATCH_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Tasks that may wait here before callers have to wait outside.
const GATHERED_MAX: usize = 10_000;
/// Tasks that are worth a batch beside another; fewer had better gather.
const BESIDE_MIN: usize = 64;
/// So many that wait are a crowd, which may be held back for a moment.
const CROWD_MIN: usize = 100;

/// An add under way: who waits for which of its rows.
pub(crate) struct AddFlight {
    waiters: Vec<Waiter>,
    /// Bucket, kind and urgency of the rows that are not born running, in their order.
    plain: Vec<(Bucket, Kind, Priority)>,
    serials: BTreeSet<String>,
    /// Whether it must land before the next is sent.
    ordered: bool,
    /// Slots taken for tasks that are born running.
    booked: Vec<(TaskId, Bucket, Kind)>,
}

enum Waiter {
    Plain(oneshot::Sender<Result<Added>>),
    Born(TaskId, oneshot::Sender<Result<Added>>),
    Many(usize, oneshot::Sender<Result<Vec<Added>>>),
}

impl Dispatcher {
    pub(crate) fn takes_adds(&self) -> bool {
        !self.callers_gone && self.adds_len < GATHERED_MAX
    }

    pub(crate) fn gather(&mut self, adding: Adding) {
        self.adds_len += adding.len();
        self.adds.push(adding);
    }

    /// Sends what has gathered, unless as many adds are under way as the store can write at a time.
    pub(crate) fn send_adds(&mut self) {
        while self.add_flights.len() < self.shared.store.writers() {
            let Some(rows_max) = self.rows_max() else { return };
            let batch = self.next_batch(rows_max);
            if batch.is_empty() {
                return;
            }
            self.hold.went(batch.iter().map(Adding::len).sum());
            self.send_batch(batch);
        }
    }

    /// How many tasks may go now; none while a crowd is held back.
    fn rows_max(&mut self) -> Option<usize> {
        let rows_max = self.adds_len.div_ceil(self.batches()).min(BATCH_MAX);
        let Some(room) = self.crowd_room() else {
            self.hold.end();
            return Some(rows_max);
        };
        let now = self.shared.now();
        if room >= rows_max.min(BESIDE_MIN) && !self.hold.is_vain(now) {
            return Some(rows_max.min(room));
        }
        match self.hold.ask(now, self.adds_len) {
            Held::No => return Some(rows_max),
            Held::Begins => self.later(HOLD_MAX, News::HoldOver),
            Held::On => {}
        }
        None
    }

    /// How many batches go side by side. Callers who were answered together call together again, and all would wait while
    /// the store has nothing to do; so the first batch of a crowd leaves a part of it to the others.
    fn batches(&self) -> usize {
        let splits = self.add_flights.is_empty() && self.adds_len >= 2 * BESIDE_MIN;
        if splits && !self.adds.iter().any(Adding::is_ordered) { self.shared.store.writers() } else { 1 }
    }

    /// How many of a crowd could be born now; none if it is no crowd, or would not be born later either.
    fn crowd_room(&mut self) -> Option<usize> {
        if self.adds_len < CROWD_MIN || !self.may_grab() {
            return None;
        }
        let Some(Adding::One(new, _)) = self.adds.first() else { return None };
        if !is_bearable(new) || !self.serves(&new.bucket) {
            return None;
        }
        let desk = self.desks.get_mut(&new.bucket)?;
        if !desk.knows(&new.kind) || desk.cluster_path(&new.kind).is_some() {
            return None;
        }
        match desk.table.has_next() {
            // There is more than we know of: it will be some time before nobody is passed.
            true if desk.table.more() => None,
            true => Some(0),
            false => Some(desk.table.limits().room_for(&new.kind, Lane::Plain, new.priority)),
        }
    }

    fn send_batch(&mut self, batch: Vec<Adding>) {
        let flight_no = self.new_flight();
        let mut flight = AddFlight {
            waiters: Vec::new(),
            plain: Vec::new(),
            serials: BTreeSet::new(),
            ordered: batch.iter().any(Adding::is_ordered),
            booked: Vec::new(),
        };
        let mut add = Add::default();
        let mut births = Vec::new();
        // In a batch of the engine's own, with a lease, not draining.
        let may_bear = self.may_grab();
        for adding in batch {
            match adding {
                Adding::One(new, reply) => {
                    let born = may_bear && self.book_birth(&new);
                    if born {
                        flight.booked.push((new.id, new.bucket.clone(), new.kind.clone()));
                        let policy = self.policy(&new.kind);
                        let deadline = policy.deadline_for(policy.deadline);
                        flight.waiters.push(Waiter::Born(new.id, reply));
                        births.push((*new, deadline));
                    } else {
                        flight.add_plain(&mut add, *new);
                        flight.waiters.push(Waiter::Plain(reply));
                    }
                }
                Adding::Many(news, reply) => {
                    flight.waiters.push(Waiter::Many(news.len(), reply));
                    for new in news {
                        flight.add_plain(&mut add, new);
                    }
                }
            }
        }
        if let Some(seat) = self.seat.as_ref().filter(|_| !births.is_empty()) {
            add.births = Some(Birth { worker: seat.worker, tasks: births });
            self.flights.insert(flight_no);
        }
        self.launch(flight_no, flight, add);
    }

    fn launch(&mut self, flight_no: Flight, flight: AddFlight, add: Add) {
        self.add_flights.insert(flight_no, flight);
        let shared = self.shared.clone();
        self.call(async move {
            let result = add_surely(&shared, add).await;
            if result.is_ok() {
                abort::pass(Point::AddCommitted);
            }
            News::Added(flight_no, result)
        });
    }

    /// The adds that go together: bounded in rows and bytes. One that the store may refuse goes alone, so that it takes
    /// nobody with it. Those whose order counts go beside no others.
    fn next_batch(&mut self, rows_max: usize) -> Vec<Adding> {
        let beside = !self.add_flights.is_empty();
        if beside && self.adds_len < BESIDE_MIN {
            return Vec::new();
        }
        let ordered = self.add_flights.values().any(|flight| flight.ordered);
        let waits = |adding: &Adding| beside && (ordered || adding.is_ordered());
        if self.adds.first().is_none_or(waits) {
            return Vec::new();
        }
        let (mut rows, mut bytes) = (0, 0);
        let fits = |adding: &Adding| {
            rows += adding.len();
            bytes += adding.bytes();
            rows <= rows_max && bytes <= BATCH_BYTES_MAX && !adding.may_be_refused() && !waits(adding)
        };
        let n = self.adds.iter().map(fits).take_while(|fits| *fits).count().max(1);
        let rest = self.adds.split_off(n.min(self.adds.len()));
        let batch = std::mem::replace(&mut self.adds, rest);
        self.adds_len -= batch.iter().map(Adding::len).sum::<usize>();
        batch
    }

    /// Books a slot for a task that could start at once, if nobody who waits is passed by it for longer than the
    /// sweep interval.
    fn book_birth(&mut self, new: &NewTask) -> bool {
        is_bearable(new) && self.book_unseen(&new.bucket, &new.kind, new.priority)
    }

    /// The same for a task that is in no table, and was not looked at.
    pub(crate) fn book_unseen(&mut self, bucket: &Bucket, kind: &Kind, priority: Priority) -> bool {
        if !self.serves(bucket) {
            return false;
        }
        let (now, sweep) = (self.shared.now(), self.shared.config.sweep);
        let Some(desk) = self.desks.get_mut(bucket) else { return false };
        if desk.table.has_next() || !desk.knows(kind) || desk.cluster_path(kind).is_some() {
            return false;
        }
        let clear = desk.clear_since.is_some_and(|since| now.saturating_sub(since) < sweep);
        // Nobody waits as far as we know; a look tells for sure.
        desk.wants_look |= !clear;
        clear && desk.table.book(kind, Lane::Plain, priority)
    }

    pub(crate) fn added(&mut self, flight_no: Flight, result: Result<Adds, StoreError>) {
        self.flights.remove(&flight_no);
        let Some(flight) = self.add_flights.remove(&flight_no) else { return };
        match result {
            Ok(adds) => self.add_landed(flight, adds),
            Err(error) => self.add_failed(flight, &error),
        }
    }

    fn add_landed(&mut self, flight: AddFlight, adds: Adds) {
        let mut plain = adds.added.iter().copied();
        // The caller of a birth is answered, too, but the run speaks for both.
        self.answered += flight.waiters.len().saturating_sub(adds.born.len());
        for waiter in flight.waiters {
            // A caller that stopped waiting is no reason to forget its task.
            match waiter {
                Waiter::Plain(reply) => {
                    let _ = reply.send(plain.next().ok_or(Error::Stopped));
                }
                Waiter::Born(id, reply) => {
                    let _ = reply.send(Ok(Added {
                        id,
                        fresh: true,
                        replaced: false,
                        status: Status::Running,
                        due_at: adds.now,
                    }));
                }
                Waiter::Many(n, reply) => {
                    let _ = reply.send(Ok(plain.by_ref().take(n).collect()));
                }
            }
        }
        // Births that were booked and did not come back belong to somebody else by now.
        if adds.born.len() < flight.booked.len() {
            let came: BTreeSet<_> = adds.born.iter().map(|task| task.id).collect();
            for (_, bucket, kind) in flight.booked.iter().filter(|(id, ..)| !came.contains(id)) {
                self.undo_slot(bucket, kind, Lane::Plain);
            }
        }
        self.starts.reserve(adds.born.len());
        for task in adds.born {
            self.start(Box::new(task));
        }
        self.forget_recalls();
        self.tell_of(&flight.plain, &adds.added, adds.now);
        self.freed_keys.extend(flight.serials);
    }

    fn add_failed(&mut self, flight: AddFlight, error: &StoreError) {
        for (_, bucket, kind) in &flight.booked {
            self.undo_slot(bucket, kind, Lane::Plain);
        }
        for waiter in flight.waiters {
            match waiter {
                Waiter::Plain(reply) | Waiter::Born(_, reply) => drop(reply.send(Err(error.clone().into()))),
                Waiter::Many(_, reply) => drop(reply.send(Err(error.clone().into()))),
            }
        }
    }

    /// Notes what is ready for us, tells the others, and sets the timer for what is due later.
    fn tell_of(&mut self, rows: &[(Bucket, Kind, Priority)], added: &[Added], now: Time) {
        let mut ready: Vec<(Bucket, Note)> = Vec::new();
        let mut due_at = None;
        for ((bucket, kind, priority), added) in
            rows.iter().zip(added).filter(|(_, added)| added.fresh || added.replaced)
        {
            match added.status {
                Status::Waiting => {
                    due_at = Some(due_at.map_or(added.due_at, |at: Time| at.min(added.due_at)));
                }
                Status::Ready => {
                    let note = Note {
                        kind: kind.clone(),
                        priority: *priority,
                        ready_at: now,
                        lane: Lane::Plain,
                        n: 1,
                    };
                    self.note(bucket, &note);
                    ready.push((bucket.clone(), note));
                }
                _ => {}
            }
        }
        match due_at {
            None => self.shared.ring_ready(ready),
            Some(due_at) => {
                self.poke(Poke::DueIn(due_at.since(now)));
                self.shared.ring_look(rows.iter().map(|(bucket, ..)| bucket.clone()).collect());
            }
        }
    }

    pub(crate) fn policy(&self, kind: &Kind) -> Arc<Policy> {
        self.shared.policies.of(kind)
    }
}

/// Whether a task may start where it is added: it is due, and no statement but the insert is needed for it.
fn is_bearable(new: &NewTask) -> bool {
    new.key.is_none() && new.serial.is_none() && new.when == When::Now
}

impl AddFlight {
    fn add_plain(&mut self, add: &mut Add, new: NewTask) {
        self.plain.push((new.bucket.clone(), new.kind.clone(), new.priority));
        self.serials.extend(new.serial.clone());
        add.tasks.push(new);
    }
}

impl Adding {
    fn news(&self) -> &[NewTask] {
        match self {
            Self::One(new, _) => std::slice::from_ref(new),
            Self::Many(news, _) => news,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.news().len()
    }

    /// Whether it must not overtake an add that was called before it: tasks of a serial key run in the order of their
    /// calls, and of two that replace each other the later one stands.
    fn is_ordered(&self) -> bool {
        self.news().iter().any(|new| new.serial.is_some() || new.on_repeat == Repeat::Replace)
    }

    fn may_be_refused(&self) -> bool {
        self.news().iter().any(|new| new.on_repeat == Repeat::Refuse)
    }

    fn bytes(&self) -> usize {
        self.news().iter().map(|new| new.payload.len()).sum()
    }
}
