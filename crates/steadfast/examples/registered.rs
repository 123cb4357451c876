//! Handlers that are registered where they are written, with their rules; one that is retired; one that the configuration
//! changes.
//!
//! `cargo run --example registered`

use serde::{Deserialize, Serialize};
use steadfast::{BoxError, Kinded, New, Run};

#[derive(Serialize, Deserialize)]
struct Welcome {
    to: String,
}

impl Kinded for Welcome {
    const KIND: &'static str = "mail.welcome";
}

#[steadfast::task(retry = ["1s", "5s", "30s"], deadline = "2m")]
async fn welcome(run: Run, mail: Welcome) {
    run.output(format!("welcome, {}", mail.to));
}

#[steadfast::task(kind = "pay", bucket = "bank", limit = 5, at_most_once)]
async fn pay(run: Run, cents: u64) -> Result<(), BoxError> {
    run.output(format!("{cents} cents are on their way"));
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let folder = tempfile::tempdir()?;
    let url = format!("sqlite:{}", folder.path().join("tasks.db").display());
    let engine = steadfast::connect(&url)
        .await?
        .registered()
        .retired(["mail.fax"])
        .adjust("pay", |handler| handler.limit(1))
        .start()
        .await?;
    let news =
        [New::of(Welcome { to: "Ada".into() }), New::json("pay", &1999), New::kind("mail.fax", "+41 44 ...")];
    for new in news {
        let id = engine.add(new).await?.id;
        let task = engine.wait(id).await?.ok_or("the history has it")?;
        println!("{}: {}", task.kind, task.output.unwrap_or_default());
    }
    let wrong =
        steadfast::connect(&url).await?.registered().adjust("mail.welcom", |handler| handler.limit(1));
    println!("{}", wrong.start().await.err().map_or_else(String::new, |error| error.to_string()));
    engine.drain().await.map(drop)?;
    Ok(())
}
