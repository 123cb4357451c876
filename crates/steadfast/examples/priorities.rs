//! The most urgent priority goes first; within one, the kind whose first task waits longest.
//!
//! `cargo run --example priorities`

use steadfast::{Handler, New, Run};
use tokio::sync::mpsc;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let url = format!("sqlite:{}", folder.path().join("tasks.db").display());

    // An engine without handlers only adds: here is a backlog before anybody works.
    let caller = steadfast::connect(&url).await?.start().await?;
    for (name, priority) in [("newsletter", 9), ("receipt", 5), ("receipt 2", 5), ("password reset", 0)] {
        caller.add(New::kind("mail", name).priority(priority)).await?;
    }

    // One slot, so that the order can be seen.
    let (ran, mut runs) = mpsc::unbounded_channel();
    let handler = Handler::of("mail", move |run: Run| {
        let ran = ran.clone();
        async move { ran.send(run.task().clone()) }
    });
    let worker = steadfast::connect(&url).await?.configure(|config| config.slots = 1);
    let worker = worker.register(handler).start().await?;
    for _ in 0..4 {
        let Some(task) = runs.recv().await else { break };
        let name = task.payload.map(|payload| String::from_utf8_lossy(&payload.bytes).into_owned());
        println!("priority {}: {}", task.priority, name.unwrap_or_default());
    }
    worker.drain().await.map(drop)?;
    Ok(())
}
