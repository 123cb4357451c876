//! Whether several workers, each in a process of its own, are faster than one.

use crate::crew::Crew;
use crate::ground::{Base, Ground};
use crate::load::{self, Load, Sort};
use crate::meter::Meter;
use crate::sample::Sample;
use crate::shape::{Figure, ROUNDS_ALL, ROUNDS_FEW, Shape};
use crate::{Result, bar::Bar, engine};
use std::time::{Duration, Instant};

const N: u32 = 400_000;
/// How long none of them may run anything before something is wrong.
const PATIENCE: Duration = Duration::from_secs(60);
const POLL_EVERY: Duration = Duration::from_millis(1);

pub(crate) const SQLITE_ONE: Shape = Shape {
    base: Base::Sqlite,
    name: "workers-1",
    what: "400,000 ready tasks are worked off by one worker in a process of its own, while another process only waits for the end",
    unit: "/s",
    figure: Figure::Rate,
    retention: Some("delete"),
    floor: None,
    raw: None,
    engine: Some(|ground| run(ground, 1)),
    bars: &[],
    rounds_max: ROUNDS_FEW,
};

pub(crate) const SQLITE_TWO: Shape = Shape {
    name: "workers-2",
    what: "the same by two workers; processor time is that of both, memory that of the larger one",
    engine: Some(|ground| run(ground, 2)),
    ..SQLITE_ONE
};

pub(crate) const SQLITE_FOUR: Shape = Shape {
    name: "workers-4",
    what: "the same by four",
    engine: Some(|ground| run(ground, 4)),
    ..SQLITE_ONE
};

/// As many rounds as of two: they are compared.
pub(crate) const POSTGRES_ONE: Shape = Shape { base: Base::Postgres, rounds_max: ROUNDS_ALL, ..SQLITE_ONE };

pub(crate) const POSTGRES_TWO: Shape = Shape {
    base: Base::Postgres,
    bars: &[Bar::OfShape("workers-1", 1.0)],
    rounds_max: ROUNDS_ALL,
    ..SQLITE_TWO
};

pub(crate) const POSTGRES_FOUR: Shape = Shape { base: Base::Postgres, ..SQLITE_FOUR };

pub(crate) const MYSQL_ONE: Shape = Shape { base: Base::MySql, ..SQLITE_ONE };

pub(crate) const MYSQL_TWO: Shape = Shape { base: Base::MySql, rounds_max: ROUNDS_FEW, ..POSTGRES_TWO };

pub(crate) const MYSQL_FOUR: Shape = Shape { base: Base::MySql, ..POSTGRES_FOUR };

fn run(ground: &Ground, workers: usize) -> Result<Sample> {
    load::apart(ground.place(), &[Load { sort: Sort::Ready, n: N }])?;
    engine::block_on(async {
        let engine = engine::open(ground.place()).await?.start().await?;
        let mut crew = Crew::open(ground.place(), N, workers)?;
        let meter = Meter::start(ground)?;
        crew.start()?;
        wait_for_runs(&crew).await?;
        engine::wait_until_empty(&engine).await?;
        let sample = meter.sample(N, None)?;
        let (cpu_ms, rss_mb) = crew.costs()?;
        let once = crew.stop()?.once();
        Ok(Sample {
            cpu_ms_1k: Some(cpu_ms * 1000.0 / f64::from(N)),
            rss_mb: Some(rss_mb),
            once: Some(once),
            ..sample
        })
    })
}

/// Waits until all workers together called as many handlers as there are tasks.
async fn wait_for_runs(crew: &Crew) -> Result<()> {
    let (mut ran, mut since) = (0, Instant::now());
    while ran < N {
        if since.elapsed() > PATIENCE {
            return Err(format!("only {ran} of {N} tasks ran, and none for {PATIENCE:?}").into());
        }
        tokio::time::sleep(POLL_EVERY).await;
        let now = crew.runs();
        if now > ran {
            (ran, since) = (now, Instant::now());
        }
    }
    Ok(())
}
