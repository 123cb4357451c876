//! What a task costs the database from look to finish: counted, not timed.

use crate::Result;
use crate::engine::{self, KIND};
use crate::ground::Ground;
use crate::load::{self, Load, Sort};
use crate::meter::Meter;
use crate::recorder::Recorder;
use crate::sample::Sample;
use crate::written;
use std::sync::Arc;
use std::time::Duration;
use steadfast::{Bucket, Handler, Retention, Run};

/// A counted figure needs no more of those that run than this gives; an engine that finds its tasks needs a second.
const PATIENCE: Duration = Duration::from_secs(30);

/// Runs the first `n` of so many numbered tasks that are among what is loaded; the rate is the work for each.
pub(super) fn run(ground: &Ground, loads: &[Load], numbered: u32, n: u32) -> Result<Sample> {
    load::apart(ground.place(), loads)?;
    let (granted, counters, sample) = engine::block_on(async {
        let recorder = Arc::new(Recorder::new(numbered));
        let (counters, builder) = engine::open_counted(ground.place()).await?;
        let builder = engine::with_noops(builder, &[KIND], &recorder, Retention::Delete)
            .register(full())
            .configure(|config| config.grace = Duration::from_millis(100));
        let meter = Meter::start(ground)?;
        let engine = builder.start().await?;
        engine::runs_within(&recorder, n, PATIENCE).await;
        // What is given back costs more than what runs: nothing more is taken, and what was taken runs.
        engine.stop_bucket(Bucket::default());
        engine::wait_for_calm(&recorder).await;
        let given_back = u32::try_from(engine.drain().await?.given_back)?;
        // What ran while the engine drained was counted too.
        let ran = recorder.hits();
        let once = if ran < numbered { recorder.at_most_once() } else { recorder.once() };
        let sample = meter.sample(ran, Some(once))?;
        // The last grab may have come when nothing was run any more: what it cost is theirs who were given back.
        Ok((ran + given_back, counters, sample))
    })?;
    let (work, statements) = counters.costs(granted)?;
    Ok(Sample { rate: work, statements: Some(statements), ..sample })
}

/// Runs so many tasks as often as that; each lot is written, past the engine, when the one before it has run.
pub(super) fn run_by_turns(ground: &Ground, line: u32, turns: u32) -> Result<Sample> {
    let n = line * turns;
    // Of none: the tables are prepared as for a longer line.
    load::apart(ground.place(), &[Load { sort: Sort::Written, n: 0 }])?;
    let (counters, sample) = engine::block_on(async {
        let recorder = Arc::new(Recorder::new(n));
        let (counters, builder) = engine::open_counted(ground.place()).await?;
        let builder = engine::with_noops(builder, &[KIND], &recorder, Retention::Delete);
        let meter = Meter::start(ground)?;
        let engine = builder.start().await?;
        for first in (0..n).step_by(line as usize) {
            written::more(ground.place(), first..first + line).await?;
            engine::wait_for_runs(&recorder, first + line).await?;
        }
        let _ = engine.drain().await?;
        Ok((counters, meter.sample(n, Some(recorder.once()))?))
    })?;
    let (work, statements) = counters.costs(n)?;
    Ok(Sample { rate: work, statements: Some(statements), ..sample })
}

/// A handler whose one run never ends, so that its kind is full.
fn full() -> Handler {
    Handler::of("full", |run: Run| async move { run.cancelled().await }).limit(1)
}
