//! The one loop that owns the engine's state: what is known to be ready, what runs, what waits to be written.
//!
//! It never waits for a store. Each call to the store is never broken off and comes back as [`News`]; while one is
//! under way, what belongs into the next one gathers. So batches form by themselves: at once when idle, large when
//! busy.

mod adds;
mod calls;
mod came_due;
mod desk;
mod drain;
mod ejects;
mod finishes;
mod grabs;
mod hold;
mod lease;
mod looks;
mod runs;
mod saves;

use crate::dues::Poke;
use crate::lot::Start;
use crate::news::{Adding, Flight, News, Saving};
use crate::shared::Shared;
use calls::Calls;
use came_due::Came;
use desk::Desk;
use drain::Drain;
use hold::Hold;
use lease::Seat;
use runs::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use steadfast_core::seam::Finish;
use steadfast_core::{Bucket, Fence, Hint, IdMap, Lane, Note};
use tokio::sync::mpsc::{Receiver, UnboundedReceiver, UnboundedSender};

/// Most messages taken in at once, so that no sender waits for a whole backlog of another.
const INBOX_MAX: usize = 1024;

#[expect(clippy::struct_excessive_bools, reason = "each says of one sort of call that it is under way")]
pub(crate) struct Dispatcher {
    shared: Arc<Shared>,
    news: UnboundedSender<News>,
    calls: Calls,
    dues: UnboundedSender<Poke>,
    ask_pauses: Arc<tokio::sync::Notify>,
    renew_now: Arc<tokio::sync::Notify>,
    desks: BTreeMap<Bucket, Desk>,
    /// Buckets that an operator paused.
    paused: BTreeSet<Bucket>,
    /// Buckets in which something was made ready here that others have not heard of, as it may be taken here.
    untold: BTreeSet<Bucket>,
    /// What came due the last time.
    came: Came,
    runs: IdMap<Entry>,
    /// Runs that are about to start.
    starts: Vec<Start>,
    seat: Option<Seat>,
    /// Adds that wait for those under way.
    adds: Vec<Adding>,
    adds_len: usize,
    add_flights: BTreeMap<Flight, adds::AddFlight>,
    hold: Hold,
    /// Callers that were answered just now.
    answered: usize,
    /// Finishes that wait for the one under way.
    finishes: Vec<Finish>,
    finishing: bool,
    /// How many finishes go one by one, as they were refused together.
    singles: usize,
    /// Saves that wait for the one under way.
    saves: Vec<Saving>,
    saving: bool,
    /// How many saves go one by one, as they were refused together.
    single_saves: usize,
    /// Finishes that the store would not take at all: the deadline ends those runs.
    given_up: BTreeSet<Fence>,
    releasing: bool,
    /// Serial keys that may have lost their head, for the next release.
    freed_keys: BTreeSet<String>,
    /// Runs that the store says we hold and we do not know, with the next flight at the time of the look.
    strangers: BTreeMap<Fence, Flight>,
    /// Whether the store was asked what we hold.
    asking: bool,
    /// Recalls of grants that we have not heard of yet, with the last flight at the time.
    recalled: BTreeMap<Fence, Flight>,
    next_flight: Flight,
    /// Grabs, births and ejections under way.
    flights: BTreeSet<Flight>,
    drain: Option<Drain>,
    callers_gone: bool,
}

impl Dispatcher {
    pub(crate) fn new(
        shared: Arc<Shared>,
        news: UnboundedSender<News>,
        dues: UnboundedSender<Poke>,
        ask_pauses: Arc<tokio::sync::Notify>,
        renew_now: Arc<tokio::sync::Notify>,
    ) -> Self {
        Self {
            shared,
            news,
            calls: Calls::default(),
            dues,
            ask_pauses,
            renew_now,
            desks: BTreeMap::new(),
            paused: BTreeSet::new(),
            untold: BTreeSet::new(),
            came: Came::default(),
            runs: IdMap::default(),
            starts: Vec::new(),
            seat: None,
            adds: Vec::new(),
            adds_len: 0,
            add_flights: BTreeMap::new(),
            hold: Hold::default(),
            answered: 0,
            finishes: Vec::new(),
            finishing: false,
            singles: 0,
            saves: Vec::new(),
            saving: false,
            single_saves: 0,
            given_up: BTreeSet::new(),
            releasing: false,
            freed_keys: BTreeSet::new(),
            strangers: BTreeMap::new(),
            asking: false,
            recalled: BTreeMap::new(),
            next_flight: 0,
            flights: BTreeSet::new(),
            drain: None,
            callers_gone: false,
        }
    }

    /// Runs until every caller is gone and everything is written.
    pub(crate) async fn work(mut self, mut inbox: UnboundedReceiver<News>, mut callers: Receiver<Adding>) {
        // However this ends, the worker must not stay alive without it.
        let _over = self.shared.over.clone().drop_guard();
        let mut news = Vec::with_capacity(INBOX_MAX);
        let mut adds = Vec::with_capacity(INBOX_MAX);
        while !self.is_over() {
            tokio::select! {
                biased;
                one = self.calls.next() => news.push(one),
                _ = inbox.recv_many(&mut news, INBOX_MAX) => {}
                n = callers.recv_many(&mut adds, INBOX_MAX), if self.takes_adds() => {
                    self.callers_gone |= n == 0;
                }
            }
            // A hint or a clock answers nobody.
            let answers = news.iter().any(|one| !matches!(one, News::Hint(_) | News::AskDue));
            self.take_in(&mut news, &mut adds);
            // Whoever was just answered or started has something to say in a moment: let them, and it goes
            // into the same batch.
            if answers && self.has_company() {
                yield_once().await;
            }
            while news.len() < INBOX_MAX
                && let Some(one) = self.calls.try_next().or_else(|| inbox.try_recv().ok())
            {
                news.push(one);
            }
            while adds.len() < INBOX_MAX
                && self.takes_adds()
                && let Ok(one) = callers.try_recv()
            {
                adds.push(one);
            }
            self.take_in(&mut news, &mut adds);
            self.pump();
        }
        self.calls.leave(&self.shared);
    }

    fn take_in(&mut self, news: &mut Vec<News>, adds: &mut Vec<Adding>) {
        for one in news.drain(..) {
            self.hear(one);
        }
        for one in adds.drain(..) {
            self.gather(one);
        }
        self.launch_runs();
    }

    fn hear(&mut self, news: News) {
        match news {
            News::Hint(hint) => self.hint(hint),
            News::Notes(notes) => self.made_ready(&notes),
            News::AskDue => self.ask_due(),
            News::CameDue(flight, booked, result) => self.came_due(flight, booked, result),
            News::Sweep(buckets) => self.sweep(&buckets),
            News::Paused(buckets) => self.paused = buckets.into_iter().collect(),
            News::Added(flight, result) => self.added(flight, result),
            News::Looked(bucket, result) => self.looked(&bucket, result),
            News::Grabbed(bucket, flight, demands, result) => self.grabbed(&bucket, flight, &demands, result),
            News::Eject(ejecting) => self.eject(*ejecting),
            News::Ejected(flight, ejecting, result) => self.ejected(flight, *ejecting, result),
            News::Open(bucket, kind) => self.desk(&bucket).open(&kind),
            // What it is about happens when all news were heard.
            News::HoldOver => {}
            News::Tokens => self.desks.values_mut().for_each(Desk::alarm_over),
            News::Ended(ends) => {
                self.finishes.reserve(ends.len());
                for (fence, end) in ends {
                    self.ended(fence, end);
                }
            }
            News::Finished(finishes, result) => self.finished(finishes, result),
            News::Save(saving) => self.save(*saving),
            News::Saved(batch, result) => self.saved(batch, result),
            News::Lease(lease) => self.lease(lease),
            News::Held(worker, tasks) => self.held(worker, tasks),
            News::Released(left) => self.released(left),
            News::Drain(grace, reply) => self.drain(grace, Some(reply)),
            News::GraceOver => self.grace_over(),
            News::GiveUp => self.give_up(),
            News::Retired => self.retired(),
        }
    }

    /// Whether more than one may have something to say soon. One alone fills no batch, and to let it go first a thread
    /// would be woken for nothing.
    fn has_company(&mut self) -> bool {
        std::mem::take(&mut self.answered) + self.runs.len() > 1
    }

    /// Starts whatever can start now.
    fn pump(&mut self) {
        if self.callers_gone && self.drain.is_none() && self.seat.is_some() {
            self.drain(Duration::ZERO, None);
        }
        let now = self.shared.now();
        self.desks.values_mut().for_each(|desk| desk.table.pass(now));
        self.send_finishes();
        self.send_saves();
        self.send_releases();
        let open = |bucket: &&Bucket| self.serves(bucket);
        for bucket in self.desks.keys().filter(open).cloned().collect::<Vec<_>>() {
            self.send_look(&bucket);
            self.send_grab(&bucket);
            self.share(&bucket);
            self.set_timers(&bucket);
        }
        // After the grabs: whoever was noted is on its way then, and is passed by no birth.
        self.send_adds();
        self.end_drain();
        self.launch_runs();
    }

    fn hint(&mut self, hint: Hint) {
        match hint {
            Hint::Look { from, .. } | Hint::Ready { from, .. } if from == self.shared.nonce => {}
            // A look says when the next task is due, so the timer needs no word of its own.
            Hint::Look { bucket, .. } => {
                if let Some(desk) = self.desks.get_mut(&bucket) {
                    desk.want_look();
                }
            }
            Hint::Ready { bucket, kind, priority, ready_at, n, .. } => {
                self.note(&bucket, &Note { kind, priority, ready_at, lane: Lane::Plain, n });
            }
            Hint::LookAll => self.desks.values_mut().for_each(Desk::want_look),
            Hint::Recall(worker) if self.is_me(worker) => self.renew_now.notify_one(),
            Hint::Recall(_) => {}
            Hint::Release(key) => {
                self.freed_keys.insert(key);
            }
        }
    }

    /// Looks everywhere, also in buckets that no handler names any more.
    fn sweep(&mut self, buckets: &[Bucket]) {
        for bucket in buckets {
            self.desk(bucket);
        }
        self.desks.values_mut().for_each(Desk::sweep);
    }

    fn is_over(&self) -> bool {
        self.callers_gone
            && self.add_flights.is_empty()
            && self.adds.is_empty()
            && (self.seat.is_none() || self.drain.as_ref().is_some_and(Drain::is_over))
    }

    /// Whether tasks are taken from a bucket.
    fn serves(&self, bucket: &Bucket) -> bool {
        !self.paused.contains(bucket) && !self.shared.stopped().contains(bucket)
    }

    /// The desk of a bucket, made when it is first needed.
    fn desk(&mut self, bucket: &Bucket) -> &mut Desk {
        if !self.desks.contains_key(bucket) {
            let desk = Desk::new(self.shared.handlers.clone(), self.shared.config.slots_of(bucket));
            self.desks.insert(bucket.clone(), desk);
        }
        // It was put there one line above if it was missing.
        self.desks.get_mut(bucket).unwrap_or_else(|| unreachable!("the desk was just made"))
    }

    fn new_flight(&mut self) -> Flight {
        self.next_flight += 1;
        self.next_flight
    }

    fn poke(&self, poke: Poke) {
        // Nobody hears it in an engine that only adds.
        let _ = self.dues.send(poke);
    }

    /// Sends news to itself after a while.
    fn later(&self, wait: Duration, news: News) {
        let (to, sleep) = (self.news.clone(), self.shared.runtime.sleep(wait));
        self.shared.spawn(async move {
            sleep.await;
            let _ = to.send(news);
        });
    }
}

/// Lets every other task that is ready go first, once.
pub(crate) async fn yield_once() {
    let mut yielded = false;
    std::future::poll_fn(|context| {
        if std::mem::replace(&mut yielded, true) {
            return std::task::Poll::Ready(());
        }
        context.waker().wake_by_ref();
        std::task::Poll::Pending
    })
    .await;
}
