//! One handler for many kinds. The whole name wins, then the part before the bar, then the longest prefix.
//!
//! `cargo run --example prefix`

use steadfast::{BoxError, Handler, New, Run};
use tokio::sync::mpsc::{self, UnboundedSender};

fn say(who: &'static str, run: &Run, ran: &UnboundedSender<String>) -> Result<(), BoxError> {
    Ok(ran.send(format!("{}: {who}", run.task().kind))?)
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let folder = tempfile::tempdir()?;
    let url = format!("sqlite:{}", folder.path().join("tasks.db").display());

    let (ran, mut runs) = mpsc::unbounded_channel();
    let handler = |who: &'static str| {
        let ran = ran.clone();
        move |run: Run| std::future::ready(say(who, &run, &ran))
    };
    let engine = steadfast::connect(&url)
        .await?
        .register(Handler::prefix("mail.", handler("any mail")))
        .register(Handler::prefix("mail.bulk.", handler("bulk mail")))
        .register(Handler::of("mail.urgent", handler("urgent mail")))
        .register(Handler::of("mail.urgent|BANK", handler("urgent mail of the bank")))
        .start()
        .await?;

    for kind in ["mail.welcome", "mail.bulk.may", "mail.urgent", "mail.urgent|SHOP", "mail.urgent|BANK"] {
        engine.add(New::kind(kind, "")).await?;
        println!("{}", runs.recv().await.unwrap_or_default());
    }
    engine.drain().await.map(drop)?;
    Ok(())
}
