//! The whole life of a task, with many callers who each add one at a time.

use crate::engine::{self, KIND};
use crate::floor::{self, CLAIM_BATCH};
use crate::ground::{Base, Ground};
use crate::meter::Meter;
use crate::recorder::Recorder;
use crate::sample::Sample;
use crate::shape::{Figure, ROUNDS_ALL, Shape};
use crate::{Result, bar::Bar, raw};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use steadfast::{Engine, New, Retention};

const N: u32 = 100_000;
const CALLERS: u32 = 256;
/// How long a drainer waits that was faster than the inserter.
const PAUSE: Duration = Duration::from_millis(2);

pub(crate) const DELETE: Shape = Shape {
    base: Base::Sqlite,
    name: "add-and-run",
    what: "256 callers at once add single tasks until 100,000 have run and their finishes are accepted; the floor inserts 1,000 and claims and deletes 500 at a time, on one connection",
    unit: "/s",
    figure: Figure::Rate,
    retention: Some("delete"),
    floor: in_turn,
    raw: Some(|ground| plainly(ground, Retention::Delete)),
    engine: Some(|ground| run(ground, Retention::Delete)),
    bars: &[Bar::OfFloor(0.3)],
    rounds_max: ROUNDS_ALL,
};

pub(crate) const HISTORY: Shape = Shape {
    name: "add-and-run-history",
    what: "the same with every ended task kept in the history; the floor keeps nothing",
    retention: Some("history"),
    raw: Some(|ground| plainly(ground, Retention::History)),
    engine: Some(|ground| run(ground, Retention::History)),
    bars: &[Bar::OfShape("add-and-run", 0.5)],
    ..DELETE
};

pub(crate) const POSTGRES_DELETE: Shape = Shape {
    base: Base::Postgres,
    what: "256 callers at once add single tasks until 100,000 have run and their finishes are accepted; the floor inserts 1,000 at a time on one connection while it claims and deletes 500 at a time on another",
    floor: at_once,
    bars: &[Bar::OfFloor(0.4)],
    ..DELETE
};

pub(crate) const POSTGRES_HISTORY: Shape = Shape { base: Base::Postgres, floor: at_once, ..HISTORY };

pub(crate) const MYSQL_DELETE: Shape = Shape { base: Base::MySql, ..POSTGRES_DELETE };

pub(crate) const MYSQL_HISTORY: Shape = Shape { base: Base::MySql, ..POSTGRES_HISTORY };

fn in_turn(ground: &Ground) -> Result<Sample> {
    let mut floor = floor::open(ground.place())?;
    let recorder = Recorder::new(N);
    let meter = Meter::start(ground)?;
    floor.insert_all(0..N)?;
    floor.drain(&recorder)?;
    meter.sample(N, Some(recorder.once()))
}

/// A database with many writers can do both at the same time.
fn at_once(ground: &Ground) -> Result<Sample> {
    let mut drainer = floor::open(ground.place())?;
    let mut inserter = floor::join(ground.place())?;
    let recorder = Recorder::new(N);
    let meter = Meter::start(ground)?;
    std::thread::scope(|scope| -> Result<()> {
        let inserting = scope.spawn(|| inserter.insert_all(0..N).map_err(|error| error.to_string()));
        while recorder.hits() < N {
            let claimed = drainer.claim(CLAIM_BATCH)?;
            if claimed.is_empty() {
                std::thread::sleep(PAUSE);
                continue;
            }
            recorder.hit_all(&claimed);
            drainer.delete(&claimed)?;
        }
        inserting.join().map_err(|_| "the inserter panicked")??;
        Ok(())
    })?;
    meter.sample(N, Some(recorder.once()))
}

fn plainly(ground: &Ground, retention: Retention) -> Result<Sample> {
    let mut raw = raw::open(ground.place())?;
    let recorder = Recorder::new(N);
    let meter = Meter::start(ground)?;
    raw.insert_all(0..N)?;
    raw.drain(&recorder, &[KIND], retention)?;
    meter.sample(N, Some(recorder.once()))
}

fn run(ground: &Ground, retention: Retention) -> Result<Sample> {
    engine::block_on(async {
        let recorder = Arc::new(Recorder::new(N));
        let builder = engine::open(ground.place()).await?;
        let engine = engine::with_noops(builder, &[KIND], &recorder, retention).start().await?;
        let next = Arc::new(AtomicU32::new(0));
        let meter = Meter::start(ground)?;
        let callers: Vec<_> =
            (0..CALLERS).map(|_| tokio::spawn(call(engine.clone(), Arc::clone(&next)))).collect();
        for caller in callers {
            caller.await??;
        }
        engine::wait_for_ends(&engine, &recorder, N).await?;
        let sample = meter.sample(N, None)?;
        let once = engine::ended_once(&engine, &recorder, retention).await?;
        Ok(Sample { once: Some(once), ..sample })
    })
}

/// Adds one task after the other until all have been added.
async fn call(engine: Engine, next: Arc<AtomicU32>) -> steadfast::Result<()> {
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= N {
            return Ok(());
        }
        engine.add(New::json(KIND, &number)).await?;
    }
}
