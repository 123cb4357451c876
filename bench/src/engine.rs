//! The engine as the shapes run it: opened, given a handler that does nothing, and waited for.

use crate::Result;
use crate::recorder::Recorder;
use std::future::Future;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use steadfast::{Builder, Engine, Filter, Handler, Policy, Retention, Run, Scope};
use steadfast_sqlite::{Options, SqliteStore};

/// The kind of every task that is measured.
pub(crate) const KIND: &str = "noop";
/// Enough runs at once for several full batches to be under way.
pub(crate) const SLOTS: usize = 2000;

/// How long a shape may take before something is wrong with it.
const PATIENCE: Duration = Duration::from_secs(60);
const POLL_EVERY: Duration = Duration::from_millis(1);

/// Runs one half on a runtime as services have it: a thread a core.
pub(crate) fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(work)
}

/// An engine over a store in that file, not started.
pub(crate) fn open(path: &Path) -> Result<Builder> {
    Ok(on(&SqliteStore::open(path, Options::default())?))
}

/// The same with every statement counted.
pub(crate) fn open_counted(path: &Path) -> Result<(SqliteStore, Builder)> {
    let mut options = Options::default();
    options.count_steps = true;
    let store = SqliteStore::open(path, options)?;
    let builder = on(&store);
    Ok((store, builder))
}

fn on(store: &SqliteStore) -> Builder {
    Builder::on(Arc::new(store.clone()), Arc::new(store.clone())).configure(|config| config.slots = SLOTS)
}

/// A handler that writes down the number in its payload and does nothing else.
pub(crate) fn noop(recorder: &Arc<Recorder>, retention: Retention) -> Handler {
    let mut policy = Policy::default();
    policy.retention = retention;
    let recorder = Arc::clone(recorder);
    let handler = move |run: Run| {
        let recorder = Arc::clone(&recorder);
        async move { run.payload::<u32>().map(|number| recorder.hit(number)) }
    };
    Handler::of(KIND, handler).policy(policy)
}

/// Waits until that many handlers were called.
pub(crate) async fn wait_for_runs(recorder: &Recorder, n: u32) -> Result<()> {
    let ran = runs_within(recorder, n, PATIENCE).await;
    if ran < n { Err(format!("only {ran} of {n} tasks ran within {PATIENCE:?}").into()) } else { Ok(()) }
}

/// The same, but not longer than that; says how many were called.
pub(crate) async fn runs_within(recorder: &Recorder, n: u32, patience: Duration) -> u32 {
    let began = Instant::now();
    while recorder.hits() < n && began.elapsed() < patience {
        tokio::time::sleep(POLL_EVERY).await;
    }
    recorder.hits()
}

/// Waits until every run's finish was accepted: a task lives until then.
pub(crate) async fn wait_for_ends(engine: &Engine, recorder: &Recorder, n: u32) -> Result<()> {
    wait_for_runs(recorder, n).await?;
    let began = Instant::now();
    while living(engine).await? > 0 {
        if began.elapsed() > PATIENCE {
            return Err(format!("tasks that ran did not end within {PATIENCE:?}").into());
        }
        tokio::time::sleep(POLL_EVERY).await;
    }
    Ok(())
}

/// Tasks of all kinds that have not ended.
pub(crate) async fn living(engine: &Engine) -> Result<u64> {
    count(engine, Scope::Live).await
}

/// Whether each task ran exactly once and left what its retention says. Counting takes time: ask after the meter.
pub(crate) async fn ended_once(engine: &Engine, recorder: &Recorder, retention: Retention) -> Result<bool> {
    let kept = if retention == Retention::Delete { 0 } else { u64::from(recorder.hits()) };
    Ok(recorder.once() && count(engine, Scope::History).await? == kept)
}

async fn count(engine: &Engine, scope: Scope) -> Result<u64> {
    let filter = Filter { scope, ..Filter::default() };
    Ok(engine.count(filter).await?.iter().map(|count| count.n).sum())
}
