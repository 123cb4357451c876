//! A task that somebody else finishes: it is parked, takes no slot, and ends when its token comes back.
//!
//! `cargo run --example callback`

use std::time::Duration;
use steadfast::{BoxError, Error, Fence, Handler, New, Outcome, Run, When};
use tokio::sync::mpsc;

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let folder = tempfile::tempdir()?;
    let url = format!("sqlite:{}", folder.path().join("tasks.db").display());

    // The bank is asked, is told the token, and will call back. The token travels as JSON.
    let (ask, mut bank) = mpsc::unbounded_channel();
    let handler = Handler::of("transfer", move |run: Run| {
        let ask = ask.clone();
        async move {
            ask.send(serde_json::to_string(&run.token())?)?;
            // If nobody calls within a minute, that is a failure by policy.
            Ok::<_, BoxError>(Outcome::Later { until: When::After(Duration::from_secs(60)) })
        }
    });
    let engine = steadfast::connect(&url).await?.register(handler).start().await?;
    let added = engine.add(New::kind("transfer", "100 EUR")).await?;

    let token = bank.recv().await.ok_or("the handler asks")?;
    println!("the bank has a token");
    // Nothing is running any more: another process could take the call just as well.
    println!("runs given back by the drain: {}", engine.drain().await?.given_back);
    let web = steadfast::connect(&url).await?.start().await?;
    let status =
        |task: Option<steadfast::Task>| task.map_or_else(String::new, |task| task.status.to_string());
    println!("before the call: {}", status(web.get(added.id).await?));
    let token: Fence = serde_json::from_str(&token)?;
    web.finish(token, Outcome::Done).await?;
    println!("after the call: {}", status(web.get(added.id).await?));
    // A bank that calls twice is told so.
    match web.finish(token, Outcome::Done).await {
        Err(Error::Lost) => println!("a second call changes nothing"),
        other => println!("unexpected: {other:?}"),
    }
    Ok(())
}
