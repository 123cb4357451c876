//! What it costs when everything fails once.

use crate::Result;
use crate::engine::{self, KIND};
use crate::floor::{self, CLAIM_BATCH, Claimed};
use crate::ground::{Base, Ground};
use crate::load::{self, Load, Sort};
use crate::meter::Meter;
use crate::recorder::Recorder;
use crate::sample::Sample;
use crate::shape::{Figure, ROUNDS_FEW, Shape};
use std::sync::Arc;
use std::time::Duration;
use steadfast::{BoxError, Handler, Retention, Retry, Run};

const N: u32 = 30_000;
const RUNS: u32 = 2 * N;
const DELAY: Duration = Duration::from_millis(100);
/// How long the floor waits when all that is left is put back.
const PAUSE: Duration = Duration::from_millis(2);

pub(crate) const SQLITE: Shape = Shape {
    base: Base::Sqlite,
    name: "retry-storm",
    what: "30,000 ready tasks that all fail once, are tried again after 100 ms and end well, in runs; the floor claims 500 rows at a time, puts them back the first time and deletes them the second, without the delay",
    unit: "runs/s",
    figure: Figure::Rate,
    retention: Some("delete"),
    floor: Some(floor),
    raw: None,
    engine: Some(run),
    bars: &[],
    rounds_max: ROUNDS_FEW,
};

pub(crate) const POSTGRES: Shape = Shape {
    base: Base::Postgres,
    what: "30,000 ready tasks that all fail once, are tried again after 100 ms and end well, in runs; the floor claims 500 rows at a time, puts them back for 100 ms the first time and deletes them the second",
    ..SQLITE
};

pub(crate) const MYSQL: Shape = Shape { base: Base::MySql, ..POSTGRES };

fn floor(ground: &Ground) -> Result<Sample> {
    let mut floor = floor::open(ground.place())?;
    floor.insert_all(0..N)?;
    floor.analyze()?;
    let (failed, ended) = (Recorder::new(N), Recorder::new(N));
    let meter = Meter::start(ground)?;
    while ended.hits() < N {
        let claimed = floor.claim(CLAIM_BATCH)?;
        if claimed.is_empty() {
            std::thread::sleep(PAUSE);
        }
        let (again, new): (Vec<Claimed>, Vec<Claimed>) =
            claimed.into_iter().partition(|(_, number)| failed.ran(*number));
        if !new.is_empty() {
            failed.hit_all(&new);
            floor.put_back(&new)?;
        }
        if !again.is_empty() {
            ended.hit_all(&again);
            floor.delete(&again)?;
        }
    }
    meter.sample(RUNS, Some(failed.once() && ended.once()))
}

fn run(ground: &Ground) -> Result<Sample> {
    load::apart(ground.place(), &[Load { sort: Sort::Ready, n: N }])?;
    engine::block_on(async {
        let (failed, ended) = (Arc::new(Recorder::new(N)), Arc::new(Recorder::new(N)));
        let builder = engine::open(ground.place()).await?.register(handler(&failed, &ended));
        let meter = Meter::start(ground)?;
        let engine = builder.start().await?;
        engine::wait_for_ends(&engine, &ended, N).await?;
        meter.sample(RUNS, Some(failed.once() && ended.once()))
    })
}

fn handler(failed: &Arc<Recorder>, ended: &Arc<Recorder>) -> Handler {
    let (failed, ended) = (Arc::clone(failed), Arc::clone(ended));
    let mut policy = engine::policy(Retention::Delete);
    policy.retry = Retry::fixed(DELAY, 3);
    let handler = move |run: Run, number: u32| {
        let is_first = run.task().failures == 0;
        let (recorder, end) =
            if is_first { (&failed, Err(BoxError::from("the first time"))) } else { (&ended, Ok(())) };
        recorder.hit(number);
        std::future::ready(end)
    };
    Handler::json(KIND, handler).policy(policy)
}
