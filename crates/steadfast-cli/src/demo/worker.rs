//! A child of the demo: one worker process. It ends when it is told to drain, and at once when its parent is gone.

use super::line::{self, Line};
use super::partners;
use anyhow::Result;
use std::time::Duration;
use steadfast::Builder;
use tokio::sync::oneshot;

/// How long a worker counts as alive without a sign of life. Short, so that nobody waits long for the takeover;
/// the default is 15 s.
pub(super) const LEASE: Duration = Duration::from_secs(2);
/// Runs at once in one worker.
pub(super) const SLOTS: usize = 32;
/// What the parent writes to let a worker drain.
pub(super) const DRAIN: &str = "drain\n";

/// Works until told to drain.
pub(super) async fn work(url: &str, name: &str) -> Result<()> {
    let drain = listen();
    let builder = configure(steadfast::connect(url).await?, name);
    let engine = partners::register(builder).start().await?;
    line::say(&Line::Up { process: std::process::id() });
    drain.await?;
    let drained = engine.drain().await?;
    line::say(&Line::Drained { given_back: drained.given_back });
    Ok(())
}

fn configure(builder: Builder, name: &str) -> Builder {
    builder.configure(|config| {
        name.clone_into(&mut config.name);
        config.slots = SLOTS;
        config.lease = LEASE;
        config.grace = Duration::from_secs(2);
    })
}

/// Answers when the parent says drain. A closed pipe means that the parent is gone, however it ended: then this
/// process ends too, from a thread that no handler can keep from it.
fn listen() -> oneshot::Receiver<()> {
    let (order, drain) = oneshot::channel();
    let mut order = Some(order);
    std::thread::spawn(move || {
        let mut text = String::new();
        while std::io::stdin().read_line(&mut text).is_ok_and(|bytes| bytes > 0) {
            if let Some(order) = order.take_if(|_| text == DRAIN) {
                let _ = order.send(());
            }
            text.clear();
        }
        std::process::exit(1);
    });
    drain
}
