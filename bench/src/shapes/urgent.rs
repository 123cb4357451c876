//! How long urgent tasks wait while a backlog of others is worked off.

use crate::engine::{self, KIND};
use crate::ground::{Base, Ground};
use crate::load::{self, Load, Sort};
use crate::meter::Meter;
use crate::recorder::Recorder;
use crate::sample::Sample;
use crate::shape::{Figure, ROUNDS_FEW, Shape};
use crate::tempo::Tempo;
use crate::{Result, caller};
use std::sync::Arc;
use std::time::Duration;
use steadfast::{New, Retention};

const URGENT: &str = "urgent";
/// Two hundred a second.
const IDLE: Tempo = Tempo { n: 1000, each: 1, every_us: 5000 };
/// The same for as long as the backlog lasts.
const BUSY: Tempo = Tempo { n: 20_000, ..IDLE };
/// Fewer say nothing of the slowest hundredth.
const N_MIN: usize = 100;
const SQLITE_BACKLOG: u32 = 400_000;
const BACKLOG: u32 = 200_000;

pub(crate) const SQLITE_IDLE: Shape = Shape {
    base: Base::Sqlite,
    name: "urgent-idle",
    what: "200 urgent tasks are added a second, from the call of add to the start of the handler, while nothing else is there",
    unit: "/s",
    figure: Figure::P50,
    retention: Some("delete"),
    floor: None,
    raw: None,
    engine: Some(|ground| run(ground, 0)),
    bars: &[],
    rounds_max: ROUNDS_FEW,
};

pub(crate) const SQLITE: Shape = Shape {
    name: "urgent",
    what: "the same while a backlog of 400,000 tasks of the last priority is worked off",
    engine: Some(|ground| run(ground, SQLITE_BACKLOG)),
    ..SQLITE_IDLE
};

pub(crate) const POSTGRES_IDLE: Shape = Shape { base: Base::Postgres, ..SQLITE_IDLE };

pub(crate) const POSTGRES: Shape = Shape {
    base: Base::Postgres,
    what: "the same while a backlog of 200,000 tasks of the last priority is worked off",
    engine: Some(|ground| run(ground, BACKLOG)),
    ..SQLITE
};

fn run(ground: &Ground, backlog: u32) -> Result<Sample> {
    load::apart(ground.place(), &[Load { sort: Sort::Last, n: backlog }])?;
    engine::block_on(async {
        let tempo = if backlog == 0 { IDLE } else { BUSY };
        let (last, urgent) = (Arc::new(Recorder::new(backlog)), Arc::new(Recorder::new(tempo.n)));
        let builder = engine::open(ground.place()).await?;
        let builder = engine::with_noops(builder, &[KIND], &last, Retention::Delete);
        let engine = engine::with_noops(builder, &[URGENT], &urgent, Retention::Delete).start().await?;
        // A worker that has not found its tasks yet is idle.
        engine::wait_for_runs(&last, backlog.min(1)).await?;
        let meter = Meter::start(ground)?;
        let left = Arc::clone(&last);
        let go_on = move || backlog == 0 || left.hits() < backlog;
        let called = tokio::spawn(caller::call(engine.clone(), tempo, task, go_on)).await??;
        if called.len() < N_MIN {
            return Err(format!("the backlog was gone when {} urgent tasks were added", called.len()).into());
        }
        let n = u32::try_from(called.len())?;
        engine::wait_for_runs(&last, backlog).await?;
        engine::wait_for_ends(&engine, &urgent, n).await?;
        let once = last.once() && urgent.at_most_once() && urgent.hits() == n;
        let sample = meter.sample(n, Some(once))?;
        let waited = |(called, number)| urgent.started(number).saturating_sub(urgent.since_began(called));
        let mut times: Vec<Duration> = called.into_iter().zip(0..).map(waited).collect();
        Ok(sample.with_times(&mut times))
    })
}

fn task(number: u32) -> New {
    New::json(URGENT, &number).priority(0)
}
