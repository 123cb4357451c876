//! A payload's type changes while tasks wait: the new handler reads the old ones, packed as they are.
//!
//! `cargo run --example versions`

use serde::{Deserialize, Serialize};
use steadfast::{BoxError, Compress, Compression, Handler, Kinded, New, Policy, Run};

/// What the program before this one added, as version 0.
#[derive(Serialize, Deserialize)]
struct OneMail {
    to: String,
    text: String,
}

/// What this one adds.
#[derive(Serialize, Deserialize)]
struct Mail {
    to: Vec<String>,
    text: String,
}

impl Kinded for Mail {
    const KIND: &'static str = "mail";
    const VERSION: u32 = 1;
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let folder = tempfile::tempdir()?;
    let url = format!("sqlite:{}", folder.path().join("tasks.db").display());

    let before = steadfast::connect(&url).await?.start().await?;
    let old = OneMail { to: "ada".into(), text: "good news ".repeat(200) };
    let rule = Compress::with(Compression::Zstd);
    let id = before.add(New::json("mail", &old).compression(rule)).await?.id;
    drop(before);

    let mut policy = Policy::default();
    policy.compression = rule;
    let handler = Handler::typed(|run: Run, mail: Mail| async move {
        let small = run.task().payload_len < 100;
        println!(
            "to {}: {} letters, stored in under 100 bytes: {small}",
            mail.to.join(" and "),
            mail.text.len()
        );
    })
    .upcast(0, |old: OneMail| Mail { to: vec![old.to], text: old.text })
    .policy(policy);
    let engine = steadfast::connect(&url).await?.register(handler).start().await?;
    engine.wait(id).await?;
    let new = engine.add(Mail { to: vec!["bob".into(), "cyd".into()], text: "hello ".repeat(300) }).await?;
    engine.wait(new.id).await?;
    engine.drain().await.map(drop)?;
    Ok(())
}
