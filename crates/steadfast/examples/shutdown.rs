//! A clean stop: nothing new is taken, runs get the grace time, the rest is given back and runs elsewhere.
//!
//! A service calls `drain` when it is told to stop: after `tokio::signal::ctrl_c()`, or on SIGTERM.
//!
//! `cargo run --example shutdown`

use std::time::Duration;
use steadfast::{BoxError, Handler, New, Run};
use tokio::sync::mpsc;

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let folder = tempfile::tempdir()?;
    let url = format!("sqlite:{}", folder.path().join("tasks.db").display());

    let (started, mut starts) = mpsc::unbounded_channel();
    let handler = Handler::of("work", move |run: Run| {
        let started = started.clone();
        async move {
            let ms: u64 = run.payload()?;
            started.send(ms)?;
            tokio::select! {
                () = tokio::time::sleep(Duration::from_millis(ms)) => println!("the run of {ms} ms ended"),
                // The grace time is over: half a second is left to tidy up.
                () = run.cancelled() => println!("the run of {ms} ms was told to stop"),
            }
            // A failure after that is none: the run is given back.
            if run.is_cancelled() { Err(BoxError::from("not done")) } else { Ok(()) }
        }
    });
    let builder = steadfast::connect(&url).await?.configure(|config| config.grace = Duration::from_secs(1));
    let engine = builder.register(handler).start().await?;
    let short = engine.add(New::json("work", &100)).await?.id;
    let long = engine.add(New::json("work", &60_000)).await?.id;
    for _ in 0..2 {
        starts.recv().await;
    }

    let drained = engine.drain().await?;
    println!("given back {}, left behind {}", drained.given_back, drained.left_behind);
    for (name, id) in [("short", short), ("long", long)] {
        let task = engine.get(id).await?.ok_or("it is there")?;
        println!("{name}: {}, attempts that count: {}", task.status, task.attempt);
    }
    Ok(())
}
