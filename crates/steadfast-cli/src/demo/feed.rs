//! Adds the story's tasks: the opening at once, then beat by beat until the feed is stopped.

use super::news::News;
use super::story::{BEAT, Story};
use anyhow::Result;
use steadfast::{Engine, New, TaskId};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::watch;
use tokio::time::MissedTickBehavior;

/// Adds until `stopped` says so; then tells what was added.
pub(super) async fn feed(
    engine: Engine,
    story: Story,
    mut stopped: watch::Receiver<bool>,
    news: UnboundedSender<News>,
) -> Result<()> {
    let mut ids = Vec::new();
    for lot in story.opening() {
        if !*stopped.borrow() {
            add(&engine, lot, &mut ids).await?;
        }
    }
    let mut beats = tokio::time::interval(BEAT);
    // Customers that could not be served do not come all at once afterwards.
    beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
    for beat in 0.. {
        tokio::select! {
            _ = stopped.wait_for(|stopped| *stopped) => break,
            _ = beats.tick() => {}
        }
        add(&engine, Story::beat(beat), &mut ids).await?;
    }
    // Nobody listens any more only when the demo is over.
    let _ = news.send(News::Fed(ids));
    Ok(())
}

async fn add(engine: &Engine, lot: Vec<New>, ids: &mut Vec<TaskId>) -> Result<()> {
    ids.extend(engine.add_many(lot).await?.into_iter().map(|added| added.id));
    Ok(())
}
