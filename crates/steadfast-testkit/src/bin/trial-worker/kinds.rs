//! The kinds that trials add, and what their handlers do.

use crate::journal::Journal;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use steadfast::mysql::MySqlStore;
use steadfast::mysql::mysql_async::prelude::Queryable;
use steadfast::postgres::PgStore;
use steadfast::{BoxError, Handler, New, Outcome, Policy, Retention, Retry, Run, When, sqlite};

/// How long a parked task waits before it is tried again.
const PARKED: Duration = Duration::from_millis(500);
/// Longer than the grace time of a worker that is told to leave.
const LONG: Duration = Duration::from_millis(1500);

/// No key twice: a repeat would add nothing.
static KEYS: AtomicU64 = AtomicU64::new(0);

/// All handlers of a worker. `work` is how long a plain run takes, `limit` how many `limited` ones may run at once,
/// `waits_to_end` whether runs of `waits` end only when they are told to.
pub(crate) fn handlers(journal: &Journal, work: Duration, limit: u32, waits_to_end: bool) -> Vec<Handler> {
    vec![
        takes("plain", journal, work),
        takes("quick", journal, Duration::ZERO),
        takes("long", journal, LONG),
        takes("limited", journal, work).cluster_limit("bank", limit),
        parks(journal),
        pays(journal, work),
        waits(journal, waits_to_end),
    ]
}

/// Some of everything that has an abort point of its own. Effects have trials of their own (`only=pays`): whoever is
/// stopped inside their transaction hears of its death in another way.
pub(crate) fn new_task(n: usize) -> New {
    match n % 6 {
        0 => New::kind("parks", ""),
        1 => New::kind("plain", "").serial("one"),
        2 => New::kind("plain", "").after(Duration::from_millis(20)),
        3 => New::kind("limited", ""),
        4 => New::kind("plain", "").key(format!("key {}", KEYS.fetch_add(1, Ordering::Relaxed))),
        _ => New::kind("plain", ""),
    }
}

fn policy() -> Policy {
    let mut policy = Policy::default();
    policy.retention = Retention::Delete;
    policy.retry = Retry::fixed(Duration::from_millis(10), 1000);
    policy.lost_max = 1000;
    policy
}

fn takes(kind: &str, journal: &Journal, work: Duration) -> Handler {
    let journal = journal.clone();
    let handler = Handler::of(kind, move |run: Run| {
        let journal = journal.clone();
        async move {
            journal.ran(&run);
            if !work.is_zero() {
                tokio::time::sleep(work).await;
            }
        }
    });
    handler.policy(policy())
}

/// Parks at its first run and is done at its next.
fn parks(journal: &Journal) -> Handler {
    let journal = journal.clone();
    let handler = Handler::of("parks", move |run: Run| {
        let journal = journal.clone();
        async move {
            journal.ran(&run);
            if run.task().failures == 0 {
                Outcome::Later { until: When::After(PARKED) }
            } else {
                Outcome::Done
            }
        }
    });
    handler.policy(policy())
}

/// Ends when it is told to, and writes down when that was; or at once, in a worker that is not to wait.
fn waits(journal: &Journal, waits_to_end: bool) -> Handler {
    let journal = journal.clone();
    let handler = Handler::of("waits", move |run: Run| {
        let journal = journal.clone();
        async move {
            journal.ran(&run);
            if waits_to_end {
                run.cancelled().await;
                journal.cancelled();
            }
        }
    });
    handler.policy(policy())
}

/// Leaves a row beside the tasks, committed together with its end.
fn pays(journal: &Journal, work: Duration) -> Handler {
    let journal = journal.clone();
    let handler = Handler::of("pays", move |run: Run| {
        let journal = journal.clone();
        async move {
            journal.ran(&run);
            tokio::time::sleep(work).await;
            pay(&run).await
        }
    });
    handler.policy(policy())
}

async fn pay(run: &Run) -> Result<Outcome, BoxError> {
    let task = run.task().id.to_string().replace('-', "");
    if let Ok(store) = run.store::<PgStore>() {
        let tx = store.begin().await?;
        tx.client().execute("insert into trial_effect values ($1)", &[&task]).await?;
        return Ok(tx.finish(Outcome::Done));
    }
    if let Ok(store) = run.store::<MySqlStore>() {
        let mut tx = store.begin().await?;
        tx.conn().exec_drop("insert into trial_effect values (?)", (task,)).await?;
        return Ok(tx.finish(Outcome::Done));
    }
    Ok(sqlite::effects(move |db| {
        db.execute("insert into trial_effect values (?1)", [task])?;
        Ok(Outcome::Done)
    }))
}
