//! The engine as the shapes run it: opened, given a handler that does nothing, and waited for.

use crate::counters::{self, Counters};
use crate::pad::Padded;
use crate::place::Place;
use crate::recorder::Recorder;
use crate::{Result, plain};
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};
use steadfast::{Builder, Engine, Filter, Handler, Policy, Retention, Run, Scope};
use steadfast_mysql::MySqlStore;
use steadfast_postgres::PgStore;
use steadfast_sqlite::SqliteStore;

/// The kind of tasks that are measured.
pub(crate) const KIND: &str = "noop";
/// Enough runs at once for several full batches to be under way.
pub(crate) const SLOTS: usize = 2000;

/// How long nothing may happen before something is wrong. A slow machine may take its time.
const PATIENCE: Duration = Duration::from_secs(60);
const POLL_EVERY: Duration = Duration::from_millis(1);
/// What was taken before is called within that.
const CALM: Duration = Duration::from_millis(100);

/// One of several kinds.
pub(crate) fn kind(at: u32) -> String {
    format!("{KIND}-{at}")
}

/// So many kinds; a single one is the usual one.
pub(crate) fn kinds(n: u32) -> Vec<String> {
    if n == 1 { vec![KIND.to_owned()] } else { (0..n).map(kind).collect() }
}

/// Runs one half on a runtime as services have it: a thread a core.
pub(crate) fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(work)
}

/// An engine over a store in that place, not started.
pub(crate) async fn open(place: &Place) -> Result<Builder> {
    match place {
        Place::File(path) => Ok(on_sqlite(&SqliteStore::open(path, sqlite_options())?)),
        Place::Schema(schema) => on_postgres(&plain::postgres::url()?, schema).await,
        Place::Database(database) => on_mysql(database).await,
    }
}

/// The same with every statement counted.
pub(crate) async fn open_counted(place: &Place) -> Result<(Counters, Builder)> {
    match place {
        Place::File(path) => {
            let mut options = sqlite_options();
            options.count_steps = true;
            let store = SqliteStore::open(path, options)?;
            let builder = on_sqlite(&store);
            Ok((Counters::Sqlite(store), builder))
        }
        Place::Schema(schema) => {
            let url = plain::postgres::url()?;
            let joint = if url.contains('?') { '&' } else { '?' };
            let builder =
                on_postgres(&format!("{url}{joint}{}", counters::postgres::TRACK_OPTION), schema).await?;
            let schema = schema.clone();
            Ok((apart(move || Counters::postgres(&schema)).await?, builder))
        }
        Place::Database(database) => {
            let builder = on_mysql(database).await?;
            Ok((apart(Counters::mysql).await?, builder))
        }
    }
}

/// The same where it costs next to nothing: PostgreSQL counts statements, and an engine sends few large ones.
pub(crate) async fn open_seen(place: &Place) -> Result<(Option<Counters>, Builder)> {
    match place {
        Place::Schema(_) => open_counted(place).await.map(|(counters, builder)| (Some(counters), builder)),
        _ => Ok((None, open(place).await?)),
    }
}

/// What blocks must not do so on a thread of the runtime.
async fn apart<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    Ok(tokio::task::spawn_blocking(move || work().map_err(|error| error.to_string())).await??)
}

fn sqlite_options() -> steadfast_sqlite::Options {
    steadfast_sqlite::Options::default()
}

fn on_sqlite(store: &SqliteStore) -> Builder {
    with_slots(Builder::on(Arc::new(store.clone()), Arc::new(store.clone())))
}

async fn on_postgres(url: &str, schema: &str) -> Result<Builder> {
    let mut options = steadfast_postgres::Options::default();
    schema.clone_into(&mut options.schema);
    let store = Arc::new(PgStore::open(url, options).await?);
    Ok(with_slots(Builder::on(store.clone(), store)))
}

async fn on_mysql(database: &str) -> Result<Builder> {
    let options = steadfast_mysql::Options::default();
    let store = Arc::new(MySqlStore::open(&plain::mysql::url_of(database)?, options).await?);
    Ok(with_slots(Builder::on(store.clone(), store)))
}

fn with_slots(builder: Builder) -> Builder {
    builder.configure(|config| config.slots = SLOTS)
}

/// Handlers of these kinds that write down the number in the payload and do nothing else.
pub(crate) fn with_noops(
    mut builder: Builder,
    kinds: &[impl AsRef<str>],
    recorder: &Arc<Recorder>,
    retention: Retention,
) -> Builder {
    for kind in kinds {
        builder = builder.register(noop(kind.as_ref(), recorder, retention));
    }
    builder
}

/// A handler of the measured kind that reads a padded payload and does nothing else.
pub(crate) fn with_reader(builder: Builder, recorder: &Arc<Recorder>) -> Builder {
    let recorder = Arc::clone(recorder);
    let handler = move |_: Run, padded: Padded<'static>| {
        recorder.hit(padded.id);
        std::future::ready(())
    };
    builder.register(Handler::json(KIND, handler).policy(policy(Retention::Delete)))
}

/// The usual rules, with this retention.
pub(crate) fn policy(retention: Retention) -> Policy {
    let mut policy = Policy::default();
    policy.retention = retention;
    policy
}

fn noop(kind: &str, recorder: &Arc<Recorder>, retention: Retention) -> Handler {
    let recorder = Arc::clone(recorder);
    let handler = move |run: Run| {
        let recorder = Arc::clone(&recorder);
        async move { run.payload::<u32>().map(|number| recorder.hit(number)) }
    };
    Handler::of(kind, handler).policy(policy(retention))
}

/// Waits until that many handlers were called.
pub(crate) async fn wait_for_runs(recorder: &Recorder, n: u32) -> Result<()> {
    let mut ran = recorder.hits();
    while ran < n {
        let now = runs_within(recorder, ran + 1, PATIENCE).await;
        if now == ran {
            return Err(format!("only {ran} of {n} tasks ran, and none for {PATIENCE:?}").into());
        }
        ran = now;
    }
    Ok(())
}

/// The same, but not longer than that; says how many were called.
pub(crate) async fn runs_within(recorder: &Recorder, n: u32, patience: Duration) -> u32 {
    let began = Instant::now();
    while recorder.hits() < n && began.elapsed() < patience {
        tokio::time::sleep(POLL_EVERY).await;
    }
    recorder.hits()
}

/// Waits until nothing more is called.
pub(crate) async fn wait_for_calm(recorder: &Recorder) {
    let mut ran = recorder.hits();
    loop {
        match runs_within(recorder, ran + 1, CALM).await {
            now if now == ran => return,
            now => ran = now,
        }
    }
}

/// Waits until every run's finish was accepted: a task lives until then.
pub(crate) async fn wait_for_ends(engine: &Engine, recorder: &Recorder, n: u32) -> Result<()> {
    wait_for_runs(recorder, n).await?;
    wait_until_empty(engine).await
}

/// Waits until no task lives.
pub(crate) async fn wait_until_empty(engine: &Engine) -> Result<()> {
    let (mut left, mut since) = (living(engine).await?, Instant::now());
    while left > 0 {
        if since.elapsed() > PATIENCE {
            return Err(format!("{left} tasks that ran did not end, and none did for {PATIENCE:?}").into());
        }
        tokio::time::sleep(POLL_EVERY).await;
        let now = living(engine).await?;
        if now < left {
            (left, since) = (now, Instant::now());
        }
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
