//! The outside: a clerk who looks at identity documents and finishes parked tasks by their token, one by one.

use super::news::News;
use anyhow::Result;
use std::time::Duration;
use steadfast::{Engine, Error, Fence, Outcome};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

/// Works through the tokens until there are no more to come.
pub(super) async fn work(
    engine: Engine,
    takes: Duration,
    mut tokens: UnboundedReceiver<Fence>,
    news: UnboundedSender<News>,
) -> Result<()> {
    while let Some(token) = tokens.recv().await {
        tokio::time::sleep(takes).await;
        match engine.finish(token, Outcome::step("approved")).await {
            Ok(()) => drop(news.send(News::Approved(token.task))),
            // Its worker died before it was parked: the next run hands in another token.
            Err(Error::Lost) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
