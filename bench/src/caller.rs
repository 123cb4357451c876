//! Adds tasks by a plan, from threads of the runtime as a service would.

use crate::tempo::Tempo;
use std::time::{Instant, SystemTime};
use steadfast::{Engine, New};

/// Adds as long as there are numbers and somebody wants more; says when each add was called.
///
/// By the plan and not one behind the other: a slow add must not thin out the load.
pub(crate) async fn call(
    engine: Engine,
    tempo: Tempo,
    new: fn(u32) -> New,
    go_on: impl Fn() -> bool + Send,
) -> steadfast::Result<Vec<SystemTime>> {
    let (mut calls, began) = (Vec::new(), Instant::now());
    for (at, numbers) in tempo.turns() {
        tokio::time::sleep(at.saturating_sub(began.elapsed())).await;
        if !go_on() {
            break;
        }
        calls.extend(numbers.map(|number| tokio::spawn(add(engine.clone(), new(number)))));
    }
    let mut called = Vec::with_capacity(calls.len());
    for call in calls {
        // A task that panicked or was stopped cannot say when it called.
        called.push(call.await.map_err(|_| steadfast::Error::Stopped)??);
    }
    Ok(called)
}

async fn add(engine: Engine, new: New) -> steadfast::Result<SystemTime> {
    let called = SystemTime::now();
    engine.add(new).await?;
    Ok(called)
}
