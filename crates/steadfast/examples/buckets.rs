//! A bucket is a shard with slots of its own: slow work in one takes no slot from quick work in another.
//!
//! `cargo run --example buckets`

use steadfast::{BoxError, Bucket, Handler, New, Policy, Run};
use tokio::sync::{Semaphore, mpsc};

/// Lets the report end.
static END: Semaphore = Semaphore::const_new(0);

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let folder = tempfile::tempdir()?;
    let url = format!("sqlite:{}", folder.path().join("tasks.db").display());

    let (said, mut words) = mpsc::unbounded_channel();
    let report_said = said.clone();
    let report = Handler::of("report", move |run: Run| {
        let said = report_said.clone();
        async move {
            said.send(format!("report began in bucket {}", run.task().bucket))?;
            END.acquire().await?.forget();
            Ok::<_, BoxError>(said.send("report ended".into())?)
        }
    });
    let mail = Handler::of("mail", move |run: Run| {
        let said = said.clone();
        async move { said.send(format!("mail ran in bucket {}", run.task().bucket)) }
    });
    let mut slow = Policy::default();
    slow.bucket = Bucket::new("slow")?;
    // One slot in each bucket: with one bucket the mail would have to wait.
    let builder = steadfast::connect(&url).await?.configure(|config| config.slots = 1);
    let engine = builder.register(report.policy(slow)).register(mail).start().await?;

    engine.add(New::kind("report", "")).await?;
    println!("{}", words.recv().await.unwrap_or_default());
    engine.add(New::kind("mail", "")).await?;
    println!("{}", words.recv().await.unwrap_or_default());
    END.add_permits(1);
    println!("{}", words.recv().await.unwrap_or_default());
    engine.drain().await.map(drop)?;
    Ok(())
}
