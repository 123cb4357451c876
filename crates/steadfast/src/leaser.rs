//! The loop that keeps the worker alive: one row, renewed from a thread of its own.

use crate::contact::InContact;
use crate::error::Result;
use crate::news::{Lease, News};
use crate::runner::CANCEL_GRACE;
use crate::shared::Shared;
use std::sync::Arc;
use std::time::Duration;
use steadfast_core::seam::{Register, Renew, Renewed};
use steadfast_core::{Fence, Heard, Offer, StoreError, WorkerId};
use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedSender;

pub(crate) struct Leaser {
    pub(crate) shared: Arc<Shared>,
    pub(crate) news: UnboundedSender<News>,
    pub(crate) contact: Arc<InContact>,
    /// Somebody took a run from us: renew at once, to hear which.
    pub(crate) renew_now: Arc<Notify>,
}

/// The lease as the worker may believe it: its end by the monotonic clock, taken before the call was sent.
pub(crate) struct Held {
    worker: WorkerId,
    ends: Duration,
    handled: Vec<Fence>,
}

impl Leaser {
    /// Registers, once, and says why if the store will not have it.
    pub(crate) async fn register(&self) -> Result<Held, StoreError> {
        let runtime = &self.shared.runtime;
        let worker = WorkerId::new(runtime.unix_ms(), [runtime.random(), runtime.random()]);
        let config = &self.shared.config;
        let sent = self.shared.now();
        let register = Register {
            worker,
            name: config.name.clone(),
            build: config.build,
            offer: Offer {
                slots: config.slots,
                buckets: config.buckets.iter().cloned().collect(),
                kinds: self.shared.handlers.offered(),
            },
            lease: config.lease,
        };
        let store_now = self.shared.store.register(register).await?;
        let heard = Heard { sent, answered: self.shared.now(), store_now };
        let kinds = self.shared.handlers.policies().unwrap_or_default();
        self.shared.store.declare(worker, config.build, kinds).await?;
        self.contact.registered(worker, heard);
        let held = Held { worker, ends: sent + config.lease, handled: Vec::new() };
        let _ = self.news.send(News::Lease(Lease::Registered { worker, ends: held.ends }));
        Ok(held)
    }

    /// Renews until the engine is over; a worker that was declared dead starts anew under another id.
    pub(crate) async fn work(self, mut held: Held) {
        loop {
            self.keep(held).await;
            if self.shared.over.is_cancelled() {
                return;
            }
            self.contact.broken();
            let _ = self.news.send(News::Lease(Lease::Dead));
            let Some(again) = self.register_again().await else { return };
            held = again;
        }
    }

    async fn register_again(&self) -> Option<Held> {
        let mut tries = 0;
        while !self.shared.over.is_cancelled() {
            match self.register().await {
                Ok(held) => return Some(held),
                Err(error) => tracing::warn!(%error, "could not register"),
            }
            self.shared.backoff(tries).await;
            tries += 1;
        }
        None
    }

    /// Renews a lease until the worker is dead or the engine is over.
    async fn keep(&self, mut held: Held) {
        let mut failures = 0;
        loop {
            if self.rest(failures).await {
                return;
            }
            let sent = self.shared.now();
            match self.renew(&held).await {
                Ok(Renewed::Alive { now: store_now, recalls, running }) => {
                    failures = 0;
                    self.contact.renewed(Heard { sent, answered: self.shared.now(), store_now });
                    held.ends = sent + self.shared.config.lease;
                    held.handled.clone_from(&recalls);
                    let renewed = Lease::Renewed { ends: held.ends, recalls, running };
                    let _ = self.news.send(News::Lease(renewed));
                }
                Ok(Renewed::Dead) => return,
                Err(error) => {
                    failures += 1;
                    self.contact.broken();
                    tracing::warn!(%error, "renew failed");
                    if self.left(&held).is_zero() {
                        let _ = self.news.send(News::Lease(Lease::AtRisk));
                    }
                }
            }
        }
    }

    /// Waits for the next renew: a third of the lease, or less after a failure. True when the engine is over.
    async fn rest(&self, failures: u32) -> bool {
        let interval = self.shared.config.lease / 3;
        let wait = if failures == 0 { interval } else { interval / 10 };
        tokio::select! {
            biased;
            () = self.shared.over.cancelled() => true,
            () = self.renew_now.notified() => false,
            () = self.shared.runtime.sleep(wait) => false,
        }
    }

    /// Sends one renew. The call is never dropped; if it takes too long, the runs are told to stop meanwhile.
    async fn renew(&self, held: &Held) -> Result<Renewed, StoreError> {
        let lease = self.shared.config.lease;
        let renew = Renew { worker: held.worker, lease, handled: held.handled.clone() };
        let mut call = self.shared.store.renew(renew);
        tokio::select! {
            biased;
            answer = &mut call => return answer,
            () = self.shared.runtime.sleep(self.left(held)) => {}
        }
        tracing::warn!("no renew got through, stopping runs before the lease ends");
        let _ = self.news.send(News::Lease(Lease::AtRisk));
        call.await
    }

    /// How long the runs may go on: they need time to stop before the lease ends.
    fn left(&self, held: &Held) -> Duration {
        let lease = self.shared.config.lease;
        let margin = (lease / 6).max(CANCEL_GRACE).min(lease / 2);
        held.ends.saturating_sub(margin).saturating_sub(self.shared.now())
    }
}
