//! Tasks that run later: after a delay or at a time. A timer wakes for each, so they start within milliseconds.
//!
//! `cargo run --example scheduled`

use serde::{Deserialize, Serialize};
use std::time::{Duration, SystemTime};
use steadfast::{Kinded, New, Run};
use tokio::sync::mpsc;

#[derive(Serialize, Deserialize)]
struct Reminder(String);

impl Kinded for Reminder {
    const KIND: &'static str = "reminder";
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let url = format!("sqlite:{}", folder.path().join("tasks.db").display());

    let (ran, mut runs) = mpsc::unbounded_channel();
    let handler = move |_: Run, reminder: Reminder| {
        let ran = ran.clone();
        async move { ran.send((reminder.0, SystemTime::now())) }
    };
    let engine = steadfast::connect(&url).await?.handle(handler).start().await?;

    engine.add(Reminder("at once".into())).await?;
    engine.add(New::of(Reminder("after a delay".into())).after(Duration::from_millis(200))).await?;
    let at = SystemTime::now() + Duration::from_millis(800);
    engine.add(New::of(Reminder("at a time".into())).at(at)).await?;
    let next_year = Duration::from_secs(365 * 24 * 3600);
    let far = engine.add(New::of(Reminder("next year".into())).after(next_year)).await?;

    for _ in 0..3 {
        let Some((text, when)) = runs.recv().await else { break };
        println!("ran {text}");
        if text == "at a time" {
            println!("not before its time: {}", when >= at);
        }
    }
    let status = engine.get(far.id).await?.map(|task| task.status.to_string());
    println!("next year's is {}", status.unwrap_or_default());
    engine.drain().await.map(drop)?;
    Ok(())
}
