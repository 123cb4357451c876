//! Chains of tasks, each of which adds the next: the load that `TwTasks` measures itself by, a tenth of it.

use crate::engine::{self, KIND};
use crate::floor::{self, CLAIM_BATCH};
use crate::ground::{Base, Ground};
use crate::meter::Meter;
use crate::numbers::Numbers;
use crate::pad::{Padded, pad};
use crate::recorder::Recorder;
use crate::sample::Sample;
use crate::shape::{Figure, ROUNDS_ALL, ROUNDS_FEW, Shape};
use crate::{Result, bar::Bar};
use std::sync::{Arc, OnceLock};
use steadfast::{BoxError, Engine, Handler, New, Outcome, Retention, Run};

const CHAINS: u32 = 1000;
const DEPTH: u32 = 100;
const N: u32 = CHAINS * DEPTH;
const PAD_BYTES: usize = 2400;
/// Callers who add the first task of each chain.
const CALLERS: u32 = 30;

/// How a task is followed by the next one of its chain.
#[derive(Clone, Copy)]
enum Link {
    /// By a new task that its handler adds.
    Added,
    /// The same, and each knows its parent.
    Child,
    /// By itself, at its next step.
    Step,
}

pub(crate) const SQLITE: Shape = Shape {
    base: Base::Sqlite,
    name: "chain",
    what: "1,000 chains of 100 tasks with payloads of 2.4 KB, each added by the handler of the one before it, from the first add of 30 callers to the last accepted finish; the floor claims 500, inserts their 500 followers and deletes them",
    unit: "/s",
    figure: Figure::Rate,
    retention: Some("delete"),
    floor: Some(floor),
    raw: None,
    engine: Some(|ground| run(ground, Link::Added, Retention::Delete)),
    bars: &[],
    rounds_max: ROUNDS_FEW,
};

pub(crate) const SQLITE_STEP: Shape = Shape {
    name: "chain-next",
    what: "1,000 tasks that go a hundred steps each, every one with a new payload of 2.4 KB; the floor is that of chain",
    engine: Some(|ground| run(ground, Link::Step, Retention::Delete)),
    ..SQLITE
};

pub(crate) const POSTGRES: Shape =
    Shape { base: Base::Postgres, bars: &[Bar::Rate(20_000.0)], rounds_max: ROUNDS_ALL, ..SQLITE };

pub(crate) const POSTGRES_CHILD: Shape = Shape {
    name: "chain-child",
    what: "the same with tasks that know their parent and can be found by it",
    engine: Some(|ground| run(ground, Link::Child, Retention::Delete)),
    bars: &[],
    rounds_max: ROUNDS_FEW,
    ..POSTGRES
};

pub(crate) const POSTGRES_HISTORY: Shape = Shape {
    name: "chain-history",
    what: "chain with every ended task kept in the history; the floor keeps nothing",
    retention: Some("history"),
    engine: Some(|ground| run(ground, Link::Added, Retention::History)),
    rounds_max: ROUNDS_FEW,
    ..POSTGRES
};

pub(crate) const POSTGRES_STEP: Shape = Shape { base: Base::Postgres, ..SQLITE_STEP };

pub(crate) const MYSQL: Shape = Shape { base: Base::MySql, ..SQLITE };

/// Rows stand in line, so what is claimed together has neighbouring numbers, and so have those that follow.
fn floor(ground: &Ground) -> Result<Sample> {
    let mut floor = floor::open_padded(ground.place(), pad(PAD_BYTES))?;
    let recorder = Recorder::new(N);
    let meter = Meter::start(ground)?;
    floor.insert_all(0..CHAINS)?;
    loop {
        let claimed = floor.claim(CLAIM_BATCH)?;
        let Some(first) = claimed.iter().map(|(_, number)| *number).min() else { break };
        recorder.hit_all(&claimed);
        let next = first + CHAINS;
        floor.insert_all(next..N.min(next + u32::try_from(claimed.len())?))?;
        floor.delete(&claimed)?;
    }
    meter.sample(N, Some(recorder.once()))
}

fn run(ground: &Ground, link: Link, retention: Retention) -> Result<Sample> {
    engine::block_on(async {
        let recorder = Arc::new(Recorder::new(N));
        let itself = Arc::new(OnceLock::new());
        let handler = handler(link, &recorder, &itself).policy(engine::policy(retention));
        let engine = engine::open(ground.place()).await?.register(handler).start().await?;
        let engine = itself.get_or_init(|| engine);
        let numbers = Arc::new(Numbers::below(CHAINS));
        let meter = Meter::start(ground)?;
        let callers: Vec<_> =
            (0..CALLERS).map(|_| tokio::spawn(begin_some(engine.clone(), Arc::clone(&numbers)))).collect();
        for caller in callers {
            caller.await??;
        }
        engine::wait_for_ends(engine, &recorder, N).await?;
        let sample = meter.sample(N, None)?;
        let once = engine::ended_once(engine, &recorder, retention).await?;
        Ok(Sample { once: Some(once), ..sample })
    })
}

/// Adds the first tasks of chains, one after the other.
async fn begin_some(engine: Engine, numbers: Arc<Numbers>) -> steadfast::Result<()> {
    let pad = pad(PAD_BYTES);
    while let Some(number) = numbers.next() {
        engine.add(New::json(KIND, &Padded { id: number, pad: pad.as_str().into() })).await?;
    }
    Ok(())
}

/// A handler needs the engine that it belongs to, which is there before the first task is.
fn handler(link: Link, recorder: &Arc<Recorder>, engine: &Arc<OnceLock<Engine>>) -> Handler {
    let (recorder, engine) = (Arc::clone(recorder), Arc::clone(engine));
    Handler::json(KIND, move |run: Run, task: Padded<'static>| {
        recorder.hit(task.id);
        let engine = Arc::clone(&engine);
        async move {
            match follower(task) {
                Some(next) => go_on(link, &run, engine.get(), next).await,
                None => Ok(Outcome::Done),
            }
        }
    })
}

/// The next of its chain, if it is not the last one.
fn follower(task: Padded<'static>) -> Option<Padded<'static>> {
    let id = task.id + CHAINS;
    (id < N).then_some(Padded { id, ..task })
}

async fn go_on(
    link: Link,
    run: &Run,
    engine: Option<&Engine>,
    next: Padded<'static>,
) -> std::result::Result<Outcome, BoxError> {
    match link {
        Link::Added => {
            engine.ok_or("the engine has not started")?.add(New::json(KIND, &next)).await?;
        }
        Link::Child => {
            run.add(New::json(KIND, &next)).await?;
        }
        Link::Step => return Ok(Outcome::step((next.id / CHAINS).to_string()).with(&next)),
    }
    Ok(Outcome::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_ends_at_its_depth() {
        let begin = |id| Padded { id, pad: "".into() };
        let all = std::iter::successors(Some(begin(7)), |task| follower(task.clone()));
        let ids: Vec<u32> = all.map(|task| task.id).collect();
        assert_eq!((ids.len(), ids[1], ids.last()), (100, 1007, Some(&99_007)));
    }
}
