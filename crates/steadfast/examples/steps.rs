//! A task as a state machine: an identity document is scanned, compared and decided on. Each step is saved; after a
//! crash the task goes on at the step it had reached.
//!
//! `cargo run --example steps`

use serde::{Deserialize, Serialize};
use std::time::Duration;
use steadfast::{BoxError, Kinded, New, Outcome, Run};
use tokio::sync::mpsc::{self, UnboundedSender};

#[derive(Serialize, Deserialize)]
struct Document {
    holder: String,
    read: Option<String>,
}

impl Kinded for Document {
    const KIND: &'static str = "identity.document";
}

async fn check(
    run: Run,
    mut document: Document,
    decided: UnboundedSender<bool>,
) -> Result<Outcome, BoxError> {
    let step = run.task().step.as_deref().unwrap_or("scan");
    println!("step {step}, attempt {}", run.task().attempt);
    match step {
        "scan" => {
            run.progress("reading the document").await?;
            document.read = Some(document.holder.to_uppercase());
            // At once: the same run goes on, with what it has read.
            Ok(Outcome::step("compare").with(&document))
        }
        "compare" => {
            // Later: the slot is free meanwhile, and the next run may be on another worker.
            Ok(Outcome::step("decide").after(Duration::from_millis(100)))
        }
        "decide" => {
            let same = document.read == Some(document.holder.to_uppercase());
            run.output(if same { "accepted" } else { "rejected" });
            decided.send(same)?;
            Ok(Outcome::Done)
        }
        other => Ok(Outcome::Fail(format!("no step `{other}`"))),
    }
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let folder = tempfile::tempdir()?;
    let url = format!("sqlite:{}", folder.path().join("tasks.db").display());
    let (decided, mut decisions) = mpsc::unbounded_channel();
    let handler = move |run: Run, document: Document| check(run, document, decided.clone());
    let engine = steadfast::connect(&url).await?.handle(handler).start().await?;
    let added = engine.add(New::of(Document { holder: "Ada".into(), read: None })).await?;
    decisions.recv().await;
    engine.drain().await.map(drop)?;
    let task = engine.get(added.id).await?.ok_or("the history has it")?;
    println!("{}: {}", task.status, task.output.unwrap_or_default());
    Ok(())
}
