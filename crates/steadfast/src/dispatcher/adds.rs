//! From a caller's `add` to the committed row, and from there to a run.

use super::Dispatcher;
use crate::error::{Error, Result};
use crate::news::{Adding, Flight, News};
use crate::settle::add_surely;
use crate::sweeper::Poke;
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

/// An add under way: who waits for which of its rows.
pub(crate) struct AddFlight {
    waiters: Vec<Waiter>,
    /// Bucket, kind and urgency of the rows that are not born running, in their order.
    plain: Vec<(Bucket, Kind, Priority)>,
    serials: BTreeSet<String>,
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

    /// Sends what has gathered, unless an add is under way.
    pub(crate) fn send_adds(&mut self) {
        if self.adds.is_empty() || self.add_flight.is_some() {
            return;
        }
        let flight_no = self.new_flight();
        let mut flight = AddFlight {
            waiters: Vec::new(),
            plain: Vec::new(),
            serials: BTreeSet::new(),
            booked: Vec::new(),
        };
        let mut add = Add::default();
        let mut births = Vec::new();
        // In a batch of the engine's own, with a lease, not draining.
        let may_bear = self.may_grab();
        for adding in self.next_batch() {
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
        self.add_flight = Some(flight);
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
    /// nobody with it.
    fn next_batch(&mut self) -> Vec<Adding> {
        let (mut rows, mut bytes) = (0, 0);
        let fits = |adding: &Adding| {
            rows += adding.len();
            bytes += adding.bytes();
            rows <= BATCH_MAX && bytes <= BATCH_BYTES_MAX && !adding.may_be_refused()
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
        if new.key.is_some() || new.serial.is_some() || new.when != When::Now {
            return false;
        }
        if !self.serves(&new.bucket) {
            return false;
        }
        let (now, sweep) = (self.shared.now(), self.shared.config.sweep);
        let Some(desk) = self.desks.get_mut(&new.bucket) else { return false };
        let clear = desk.clear_since.is_some_and(|since| now.saturating_sub(since) < sweep);
        clear
            && desk.knows(&new.kind)
            && desk.cluster_path(&new.kind).is_none()
            && !desk.table.has_next()
            && desk.table.book(&new.kind, Lane::Plain, new.priority)
    }

    pub(crate) fn added(&mut self, flight_no: Flight, result: Result<Adds, StoreError>) {
        self.flights.remove(&flight_no);
        let Some(flight) = self.add_flight.take() else { return };
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

impl AddFlight {
    fn add_plain(&mut self, add: &mut Add, new: NewTask) {
        self.plain.push((new.bucket.clone(), new.kind.clone(), new.priority));
        self.serials.extend(new.serial.clone());
        add.tasks.push(new);
    }
}

impl Adding {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::One(..) => 1,
            Self::Many(news, _) => news.len(),
        }
    }

    fn may_be_refused(&self) -> bool {
        let may = |new: &NewTask| new.on_repeat == Repeat::Refuse;
        match self {
            Self::One(new, _) => may(new),
            Self::Many(news, _) => news.iter().any(may),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::One(new, _) => new.payload.len(),
            Self::Many(news, _) => news.iter().map(|new| new.payload.len()).sum(),
        }
    }
}
