//! A limit on a kind: so many runs at once in this worker. A full kind stands in nobody's way.
//!
//! `cargo run --example limits`

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;
use steadfast::{Handler, New, Run};
use tokio::sync::mpsc;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let url = format!("sqlite:{}", folder.path().join("tasks.db").display());

    let (ran, mut runs) = mpsc::unbounded_channel();
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    // The bank takes two calls at a time.
    let (bank_now, bank_most, bank_ran) = (now.clone(), most.clone(), ran.clone());
    let bank = Handler::of("bank", move |_: Run| {
        let (now, most, ran) = (bank_now.clone(), bank_most.clone(), bank_ran.clone());
        async move {
            most.fetch_max(now.fetch_add(1, SeqCst) + 1, SeqCst);
            tokio::time::sleep(Duration::from_millis(40)).await;
            now.fetch_sub(1, SeqCst);
            ran.send("bank")
        }
    });
    let mail = Handler::of("mail", move |_: Run| {
        let ran = ran.clone();
        async move { ran.send("mail") }
    });
    let engine = steadfast::connect(&url).await?.register(bank.limit(2)).register(mail).start().await?;

    engine.add_many((0..10).map(|_| New::kind("bank", ""))).await?;
    engine.add(New::kind("mail", "")).await?;
    let mut order = Vec::new();
    while order.len() < 11 {
        order.extend(runs.recv().await);
    }
    println!("bank calls: {}", order.iter().filter(|kind| **kind == "bank").count());
    println!("at once, at most: {}", most.load(SeqCst));
    println!("the mail waited for all of them: {}", order.last() == Some(&"mail"));
    engine.drain().await.map(drop)?;
    Ok(())
}
