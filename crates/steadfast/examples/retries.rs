//! A failure is tried again by policy. When the retries are used up, the task waits for a person.
//!
//! `cargo run --example retries`

use std::time::Duration;
use steadfast::{Engine, Handler, New, Policy, Retry, Run, Status, Task, TaskId};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let url = format!("sqlite:{}", folder.path().join("tasks.db").display());

    // An error is a retry. Its text is kept beside the task, with the causes below it.
    let handler = Handler::of("print", |run: Run| async move {
        let attempt = run.task().attempt;
        let jammed = run.bytes() == b"poster" || attempt < 3;
        println!("{}: attempt {attempt}", String::from_utf8_lossy(run.bytes()));
        if jammed { Err("the printer is jammed") } else { Ok(()) }
    });
    let mut policy = Policy::default();
    policy.retry = Retry::list([50, 100].map(Duration::from_millis));
    let engine = steadfast::connect(&url).await?.register(handler.policy(policy)).start().await?;

    for name in ["letter", "poster"] {
        let added = engine.add(New::kind("print", name)).await?;
        let task = ended(&engine, added.id).await?;
        println!("{name}: {} after {} failures", task.status, task.errors.all().len());
        if let (Status::Error, Some(why)) = (task.status, task.errors.last()) {
            println!("{name}: a person has to look: {why}");
        }
    }
    engine.drain().await.map(drop)?;
    Ok(())
}

/// Waits until nothing more happens to a task by itself.
async fn ended(engine: &Engine, id: TaskId) -> steadfast::Result<Task> {
    loop {
        match engine.get(id).await? {
            Some(task) if task.status.is_final() || task.status == Status::Error => return Ok(task),
            _ => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
}
