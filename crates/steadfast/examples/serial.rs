//! A serial key: tasks that name it run one at a time, in the order of adding. Different keys run side by side.
//!
//! `cargo run --example serial`

use std::collections::BTreeMap;
use std::time::Duration;
use steadfast::{Handler, New, Run};
use tokio::sync::mpsc;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let url = format!("sqlite:{}", folder.path().join("tasks.db").display());

    let (ran, mut runs) = mpsc::unbounded_channel();
    let handler = Handler::of("booking", move |run: Run| {
        let ran = ran.clone();
        async move {
            let n: u64 = run.payload()?;
            // Whoever comes later is quicker: without the serial key it would pass.
            tokio::time::sleep(Duration::from_millis(40 - 8 * n)).await;
            ran.send((run.task().serial.clone(), n))?;
            Ok::<_, steadfast::BoxError>(())
        }
    });
    let engine = steadfast::connect(&url).await?.register(handler).start().await?;
    for n in 1..=4_u64 {
        for account in ["account-1", "account-2", "account-3"] {
            engine.add(New::json("booking", &n).serial(account)).await?;
        }
    }
    let mut accounts: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for _ in 0..12 {
        let Some((Some(account), n)) = runs.recv().await else { break };
        accounts.entry(account).or_default().push(n);
    }
    for (account, order) in accounts {
        println!("{account}: {order:?}");
    }
    engine.drain().await.map(drop)?;
    Ok(())
}
