//! A key makes a repeated add harmless: it returns the first task, also for a while after that one ended.
//!
//! `cargo run --example keys`

use steadfast::{Handler, Key, New, Run};
use tokio::sync::mpsc;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let url = format!("sqlite:{}", folder.path().join("tasks.db").display());

    let (ran, mut runs) = mpsc::unbounded_channel();
    let handler = Handler::of("payout", move |run: Run| {
        let ran = ran.clone();
        async move { ran.send(run.task().id) }
    });
    let engine = steadfast::connect(&url).await?.register(handler).start().await?;

    // A web request that is sent three times, since its sender never heard of the first.
    let payout = || New::kind("payout", "100 EUR").id("payout-17");
    let first = engine.add(payout()).await?;
    let second = engine.add(payout()).await?;
    runs.recv().await;
    engine.drain().await.map(drop)?;
    println!("first add: fresh {}", first.fresh);
    println!("second add: fresh {}, the same task {}", second.fresh, first.id == second.id);

    // Another process, after the task ended: the key is remembered for a day unless its kind says otherwise.
    let engine = steadfast::connect(&url).await?.start().await?;
    let third = engine.add(payout()).await?;
    println!("after its end: fresh {}, the same task {}", third.fresh, first.id == third.id);
    println!("found by its id: {}", engine.look_up(Key::id("payout-17")).await? == Some(first.id));
    println!("it ran once: {}", runs.try_recv().is_err());
    Ok(())
}
