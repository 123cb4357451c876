//! What people do to tasks: run again, acknowledge, pause, release, cancel. Each act names the version its actor
//! saw, so that nobody acts on a task that has changed meanwhile.
//!
//! `cargo run --example operating`

use std::time::Duration;
use steadfast::{
    BoxError, Deed, Engine, Guard, Handler, New, Policy, Retry, Run, Status, Task, TaskId, When,
};

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let folder = tempfile::tempdir()?;
    let url = format!("sqlite:{}", folder.path().join("tasks.db").display());
    let handler = Handler::of("export", |_: Run| async { Err::<(), _>("no such customer") });
    let mut policy = Policy::default();
    policy.retry = Retry::none();
    let engine = steadfast::connect(&url).await?.register(handler.policy(policy)).start().await?;

    // It fails and waits for a person.
    let id = engine.add(New::kind("export", "customer 7")).await?.id;
    let seen = until(&engine, id, |task| task.status == Status::Error).await?;
    println!("{}: {}", seen.status, seen.errors.last().unwrap_or_default());

    // One operator runs it again; another, who still sees the old page, is refused.
    act(&engine, &seen, Deed::Again(When::Now)).await?;
    until(&engine, id, |task| task.status == Status::Error && task.attempt == 2).await?;
    match engine.act(id, Guard::Version(seen.version), Deed::Ack).await {
        Err(error) => println!("refused: {}", error.code()),
        Ok(_) => println!("nobody noticed"),
    }
    let seen = engine.get(id).await?.ok_or("it is there")?;
    act(&engine, &seen, Deed::Ack).await?;

    // A task of tomorrow is paused, released and cancelled.
    let tomorrow = Duration::from_secs(24 * 3600);
    let id = engine.add(New::kind("export", "customer 8").after(tomorrow)).await?.id;
    for deed in [Deed::Pause, Deed::Release, Deed::Cancel] {
        let seen = engine.get(id).await?.ok_or("it is there")?;
        act(&engine, &seen, deed).await?;
    }
    engine.drain().await.map(drop)?;
    Ok(())
}

async fn act(engine: &Engine, seen: &Task, deed: Deed) -> steadfast::Result<()> {
    let name = deed.name();
    let acted = engine.act(seen.id, Guard::Version(seen.version), deed).await?;
    println!("{name}: {} is {}", seen.status, acted.status);
    Ok(())
}

async fn until(engine: &Engine, id: TaskId, fits: impl Fn(&Task) -> bool) -> steadfast::Result<Task> {
    loop {
        match engine.get(id).await? {
            Some(task) if fits(&task) => return Ok(task),
            _ => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
}
