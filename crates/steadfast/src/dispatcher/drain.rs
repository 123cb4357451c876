//! A clean stop: nothing new is taken, runs get the grace time, the rest is given back.

use super::Dispatcher;
use super::runs::Stop;
use crate::news::{Drained, News};
use crate::runner::CANCEL_GRACE;
use std::time::Duration;
use tokio::sync::oneshot;

/// How long runs that were told to stop may take to be given back, beyond their own grace.
const GIVE_UP_AFTER: Duration = Duration::from_millis(500);

/// How long the store may take to hear that the worker leaves.
const RETIRE_MAX: Duration = Duration::from_secs(1);

pub(crate) struct Drain {
    waiters: Vec<oneshot::Sender<Drained>>,
    pub(crate) given_back: usize,
    left_behind: usize,
    gave_up: bool,
    retiring: bool,
    over: bool,
}

impl Drain {
    pub(crate) fn is_over(&self) -> bool {
        self.over
    }
}

impl Dispatcher {
    pub(crate) fn drain(&mut self, grace: Duration, reply: Option<oneshot::Sender<Drained>>) {
        if let Some(drain) = &mut self.drain {
            drain.waiters.extend(reply);
        } else {
            self.drain = Some(Drain {
                waiters: reply.into_iter().collect(),
                given_back: 0,
                left_behind: 0,
                gave_up: false,
                retiring: false,
                over: false,
            });
            self.later(grace, News::GraceOver);
        }
    }

    pub(crate) fn grace_over(&mut self) {
        self.stop_all(Stop::Drain);
        self.later(CANCEL_GRACE + GIVE_UP_AFTER, News::GiveUp);
    }

    pub(crate) fn give_up(&mut self) {
        let left = self.runs.len();
        if let Some(drain) = &mut self.drain {
            drain.left_behind = left;
            drain.gave_up = true;
        }
    }

    /// Leaves when everything is written, or when what is left cannot be stopped.
    pub(crate) fn end_drain(&mut self) {
        let quiet =
            self.runs.is_empty() && self.finishes.is_empty() && !self.finishing && self.flights.is_empty();
        let worker = self.seat.as_ref().map(|seat| seat.worker);
        let Some(drain) = &mut self.drain else { return };
        if drain.over && !drain.waiters.is_empty() {
            drain.answer();
        }
        if drain.retiring || !(quiet || drain.gave_up) {
            return;
        }
        drain.retiring = true;
        self.shared.over.cancel();
        let (shared, news) = (self.shared.clone(), self.news.clone());
        self.shared.spawn(async move {
            if let Some(worker) = worker
                && let Err(error) = shared.store.retire(worker).await
            {
                tracing::warn!(%error, "could not retire");
            }
            let _ = news.send(News::Retired);
        });
        // A store that does not answer holds nobody up: the lease runs out by itself.
        self.later(RETIRE_MAX, News::Retired);
    }

    pub(crate) fn retired(&mut self) {
        if let Some(drain) = &mut self.drain {
            drain.over = true;
            drain.answer();
        }
    }
}

impl Drain {
    fn answer(&mut self) {
        for waiter in self.waiters.drain(..) {
            let _ = waiter.send(Drained { given_back: self.given_back, left_behind: self.left_behind });
        }
    }
}
