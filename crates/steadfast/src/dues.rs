//! The loop that makes waiting tasks ready when they come due. It does nothing else: a sweep takes some time, and what is
//! due in the middle of one would be late.

use crate::news::News;
use crate::shared::Shared;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

/// Most tasks that are moved at a time; what is left is moved at once after them.
const BATCH_MAX: usize = 1000;
/// Timers fire this much late rather than early: the store's clock decides, and asking too soon is asking twice.
const TIMER_SLACK: Duration = Duration::from_millis(1);

/// Word of what is due.
#[derive(Debug)]
pub(crate) enum Poke {
    /// Something, so long from now.
    DueIn(Duration),
    /// Something may be, at any time: ask.
    Due,
}

pub(crate) struct Dues {
    pub(crate) shared: Arc<Shared>,
    pub(crate) news: UnboundedSender<News>,
    pub(crate) pokes: UnboundedReceiver<Poke>,
}

impl Dues {
    pub(crate) async fn work(mut self) {
        let mut ask_at = self.shared.now();
        while !self.shared.over.is_cancelled() {
            if self.shared.now() >= ask_at {
                ask_at = self.ask().await;
            }
            self.rest(&mut ask_at).await;
        }
    }

    /// Waits for the next time to ask, or for the end of the engine.
    async fn rest(&mut self, ask_at: &mut Duration) {
        let wait = ask_at.saturating_sub(self.shared.now());
        tokio::select! {
            biased;
            () = self.shared.over.cancelled() => return,
            Some(poke) = self.pokes.recv() => self.take(ask_at, &poke),
            () = self.shared.runtime.sleep(wait), if !wait.is_zero() => {}
            () = std::future::ready(()), if wait.is_zero() => {}
        }
        while let Ok(poke) = self.pokes.try_recv() {
            self.take(ask_at, &poke);
        }
    }

    fn take(&self, ask_at: &mut Duration, poke: &Poke) {
        let now = self.shared.now();
        *ask_at = match poke {
            Poke::DueIn(wait) => (*ask_at).min(now.saturating_add(*wait).saturating_add(TIMER_SLACK)),
            Poke::Due => now,
        };
    }

    /// Makes ready what has come due; answers when to ask again, which is soon enough if no word comes of what others
    /// schedule.
    async fn ask(&self) -> Duration {
        let sweep = self.shared.config.sweep * 9 / 10;
        let (wait, notes) = match self.shared.store.due(BATCH_MAX).await {
            Ok(due) => (due.next_in.unwrap_or(Duration::MAX), due.notes),
            Err(error) => {
                tracing::warn!(%error, "due failed");
                (sweep, Vec::new())
            }
        };
        News::tell_ready(&self.news, notes);
        let slack = if wait.is_zero() { Duration::ZERO } else { TIMER_SLACK };
        self.shared.now().saturating_add(wait.saturating_add(slack).min(sweep))
    }
}
