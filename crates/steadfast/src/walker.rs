//! The loop that finds serial keys without a head, which no hint told of. It does nothing else: a worker that was stopped
//! while it ended a head locks the key's place, and whoever waits for it there must not keep others from what they held.

use crate::dues::Poke;
use crate::news::News;
use crate::shared::Shared;
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedSender;

/// Most keys that are looked at a time; the next time goes on after them.
const BATCH_MAX: usize = 1000;

pub(crate) struct Walker {
    pub(crate) shared: Arc<Shared>,
    pub(crate) news: UnboundedSender<News>,
    pub(crate) dues: UnboundedSender<Poke>,
}

impl Walker {
    pub(crate) async fn work(self) {
        let mut after = None;
        while !self.shared.over.is_cancelled() {
            after = self.step(after).await;
            tokio::select! {
                biased;
                () = self.shared.over.cancelled() => {}
                () = self.shared.runtime.sleep(self.shared.config.sweep * 9 / 10) => {}
            }
        }
    }

    /// Lets the next task of some keys come forward; answers where the walk goes on.
    async fn step(&self, after: Option<String>) -> Option<String> {
        match self.shared.store.release(None, after, BATCH_MAX).await {
            Ok(released) => {
                News::tell_ready(&self.news, released.notes);
                if let Some(wait) = released.due_in {
                    let _ = self.dues.send(Poke::DueIn(wait));
                }
                released.after
            }
            Err(error) => {
                tracing::warn!(%error, "release failed");
                None
            }
        }
    }
}
