//! Testing a handler on the memory store: nothing on disk, nothing to clean up, a clock that the test moves.
//!
//! `cargo run --example memory --features memory`

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use steadfast::core::Clock;
use steadfast::memory::MemoryStore;
use steadfast::{BoxError, Builder, Handler, New, Run, Status, Time};

/// A clock that stands still until it is moved.
struct TestClock(Mutex<Time>);

impl TestClock {
    fn advance(&self, by: Duration) {
        let mut now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *now = now.after(by);
    }
}

impl Clock for TestClock {
    fn now(&self) -> Time {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The handler to be tested.
async fn remind(run: Run) -> Result<(), BoxError> {
    if run.task().attempt == 1 {
        return Err("the mail server is asleep".into());
    }
    run.output("reminded");
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let clock = Arc::new(TestClock(Mutex::new(Time::from_micros(0))));
    let store = Arc::new(MemoryStore::new(clock.clone()));
    // A short sweep: the engine's timers do not know that the clock was moved, its sweep finds out.
    let builder =
        Builder::on(store.clone(), store).configure(|config| config.sweep = Duration::from_millis(10));
    let engine = builder.register(Handler::of("remind", remind)).start().await?;

    let id = engine.add(New::kind("remind", "").after(Duration::from_secs(3600))).await?.id;
    let status = async || engine.get(id).await.map(|task| task.map(|task| (task.status, task.failures)));
    println!("before its time: {:?}", status().await?);
    clock.advance(Duration::from_secs(3600));
    while status().await? != Some((Status::Waiting, 1)) {
        tokio::task::yield_now().await;
    }
    println!("an hour later it failed once and waits");
    clock.advance(Duration::from_secs(10));
    while status().await?.is_none_or(|(status, _)| status != Status::Done) {
        tokio::task::yield_now().await;
    }
    println!("ten seconds later: {}", engine.get(id).await?.and_then(|task| task.output).unwrap_or_default());
    Ok(())
}
