//! A long run says how far it is, and leaves a result behind for people to read.
//!
//! `cargo run --example progress`

use steadfast::{BoxError, Handler, New, Run};
use tokio::sync::{Semaphore, mpsc};

/// Lets the run go on when its progress was read.
static READ: Semaphore = Semaphore::const_new(0);

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let folder = tempfile::tempdir()?;
    let url = format!("sqlite:{}", folder.path().join("tasks.db").display());

    let (reported, mut reports) = mpsc::unbounded_channel();
    let handler = Handler::of("import", move |run: Run| {
        let reported = reported.clone();
        async move {
            for percent in [25, 50, 75] {
                // It is saved when this returns. If the run was taken away, this is the place to hear of it.
                run.progress(format!("{percent} %")).await?;
                reported.send(())?;
                READ.acquire().await?.forget();
            }
            run.output("1,204 rows, 3 of them twice");
            Ok::<_, BoxError>(())
        }
    });
    let engine = steadfast::connect(&url).await?.register(handler).start().await?;
    let id = engine.add(New::kind("import", "rows.csv")).await?.id;
    for _ in 0..3 {
        reports.recv().await;
        let task = engine.get(id).await?.ok_or("it is living")?;
        println!("{}: {}", task.status, task.progress.unwrap_or_default());
        READ.add_permits(1);
    }
    engine.drain().await.map(drop)?;
    let task = engine.get(id).await?.ok_or("the history has it")?;
    println!("{}: {}", task.status, task.output.unwrap_or_default());
    Ok(())
}
