//! The clock of tasks that wait for their time: it says when the store is to be asked for what has come due.
//! A sweep takes some time, and what is due in the middle of one would be late; so this does nothing else.

use crate::news::News;
use crate::shared::Shared;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

/// Timers fire this much late rather than early: the store's clock decides, and asking too soon is asking twice.
const TIMER_SLACK: Duration = Duration::from_millis(1);

/// Word of what is due.
#[derive(Debug)]
pub(crate) enum Poke {
    /// Something, so long from now.
    DueIn(Duration),
    /// Something may be, at any time: ask.
    Due,
    /// The store was asked. The next one is due so long from now; none if nobody knows of one.
    Asked(Option<Duration>),
}

pub(crate) struct Dues {
    shared: Arc<Shared>,
    news: UnboundedSender<News>,
    pokes: UnboundedReceiver<Poke>,
    /// When to ask next.
    ask_at: Duration,
    /// Whether the store is being asked.
    asking: bool,
}

impl Dues {
    pub(crate) fn new(
        shared: Arc<Shared>,
        news: UnboundedSender<News>,
        pokes: UnboundedReceiver<Poke>,
    ) -> Self {
        let ask_at = shared.now();
        Self { shared, news, pokes, ask_at, asking: false }
    }

    pub(crate) async fn work(mut self) {
        while !self.shared.over.is_cancelled() {
            if !self.asking && self.shared.now() >= self.ask_at {
                self.asking = true;
                // What comes to be known meanwhile brings it forward again.
                self.ask_at = Duration::MAX;
                let _ = self.news.send(News::AskDue);
            }
            self.rest().await;
        }
    }

    /// Waits for the next time to ask, or for the end of the engine.
    async fn rest(&mut self) {
        let wait = self.ask_at.saturating_sub(self.shared.now());
        let idle = !self.asking;
        tokio::select! {
            biased;
            () = self.shared.over.cancelled() => return,
            Some(poke) = self.pokes.recv() => self.take(&poke),
            () = self.shared.runtime.sleep(wait), if idle && !wait.is_zero() => {}
            () = std::future::ready(()), if idle && wait.is_zero() => {}
        }
        while let Ok(poke) = self.pokes.try_recv() {
            self.take(&poke);
        }
    }

    fn take(&mut self, poke: &Poke) {
        let now = self.shared.now();
        let at = match poke {
            Poke::DueIn(wait) => now.saturating_add(*wait).saturating_add(TIMER_SLACK),
            Poke::Due => now,
            Poke::Asked(next_in) => {
                self.asking = false;
                now.saturating_add(self.pause(next_in.unwrap_or(Duration::MAX)))
            }
        };
        self.ask_at = self.ask_at.min(at);
    }

    /// How long to wait for the next one: not for ever, as no word may come of what others schedule.
    fn pause(&self, next_in: Duration) -> Duration {
        let slack = if next_in.is_zero() { Duration::ZERO } else { TIMER_SLACK };
        next_in.saturating_add(slack).min(self.shared.config.sweep * 9 / 10)
    }
}
