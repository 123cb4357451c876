//! A rate beside a limit: twenty starts a second, two at once. What waits for its token stands in nobody's way.
//!
//! `cargo run --example rates`

use std::time::{Duration, Instant};
use steadfast::{Handler, Limit, New, Rate, Run};
use tokio::sync::mpsc;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let url = format!("sqlite:{}", folder.path().join("tasks.db").display());

    let (ran, mut runs) = mpsc::unbounded_channel();
    let mail_ran = ran.clone();
    // The bank minds how often it is asked, and how many ask at once.
    let bank = Handler::of("bank", move |_: Run| {
        let ran = ran.clone();
        async move { ran.send(("bank", Instant::now())) }
    });
    let bank = bank.limit(Limit::own(2).rate(Rate::per_second(20)));
    let mail = Handler::of("mail", move |_: Run| {
        let ran = mail_ran.clone();
        async move { ran.send(("mail", Instant::now())) }
    });
    let engine = steadfast::connect(&url).await?.register(bank).register(mail).start().await?;

    engine.add_many((0..21).map(|_| New::kind("bank", ""))).await?;
    engine.add(New::kind("mail", "")).await?;
    let mut seen = Vec::new();
    while seen.len() < 22 {
        seen.extend(runs.recv().await);
    }
    let bank: Vec<Instant> = seen.iter().filter(|(kind, _)| *kind == "bank").map(|(_, at)| *at).collect();
    // The first token was there; the other twenty take a second.
    let took = bank[20] - bank[0];
    println!("21 calls in a second, not sooner: {}", took >= Duration::from_millis(990));
    println!("the mail waited for all of them: {}", seen.last().is_some_and(|(kind, _)| *kind == "mail"));
    engine.drain().await.map(drop)?;
    Ok(())
}
