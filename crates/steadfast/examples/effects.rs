//! Effects in the same database are committed together with the end of their run: once, whatever happens.
//!
//! `cargo run --example effects`

use std::time::Duration;
use steadfast::sqlite::{effects, rusqlite::Connection};
use steadfast::{BoxError, Handler, New, Outcome, Policy, Retry, Run};

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("bank.db");
    let bank = Connection::open(&path)?;
    bank.execute_batch("create table account (cents integer); insert into account values (1000)")?;

    let pay = Handler::of("pay", |run: Run| async move {
        // Slow things happen here, while nobody waits for a lock.
        let first = run.task().attempt == 1;
        // This runs inside the transaction that ends the run.
        effects(move |db| {
            db.execute("update account set cents = cents - 250", [])?;
            if first {
                return Err("the power went out".into());
            }
            Ok(Outcome::Done)
        })
    });
    let mut policy = Policy::default();
    policy.retry = Retry::fixed(Duration::from_millis(10), 3);

    let url = format!("sqlite:{}", path.display());
    let engine = steadfast::connect(&url).await?.register(pay.policy(policy)).start().await?;
    let added = engine.add(New::kind("pay", "")).await?;
    let task = engine.wait(added.id).await?.ok_or("kept in the history")?;
    let cents: i64 = bank.query_row("select cents from account", [], |row| row.get(0))?;
    println!("{} after {} attempts, {cents} cents left", task.status, task.attempt);
    engine.drain().await.map(drop)?;
    Ok(())
}
