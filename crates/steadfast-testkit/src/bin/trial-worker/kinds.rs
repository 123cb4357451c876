//! The kinds that trials add, and what their handlers do.

use crate::journal::Journal;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use steadfast::mysql::MySqlStore;
use steadfast::mysql::mysql_async::prelude::Queryable;
use steadfast::postgres::PgStore;
use steadfast::{BoxError, Fence, Handler, New, Outcome, Policy, Retention, Retry, Run, When, sqlite};

/// How long a parked task waits before it is tried again.
const PARKED: Duration = Duration::from_millis(500);
/// Longer than the grace time of a worker that is told to leave.
const LONG: Duration = Duration::from_millis(1500);

/// No key twice: a repeat would add nothing.
static KEYS: AtomicU64 = AtomicU64::new(0);

/// How the kinds of a worker are.
pub(crate) struct Rules {
    /// How long a plain run takes.
    pub(crate) work: Duration,
    /// How long a run may take.
    pub(crate) deadline: Duration,
    /// How long a run of `sleeps` takes, and how many of them may run in this worker.
    pub(crate) sleep: Duration,
    pub(crate) sleepers: usize,
    /// How many `limited` ones may run at once.
    pub(crate) limit: u32,
    /// Whether runs of `waits` end only when they are told to.
    pub(crate) waits_to_end: bool,
}

/// All handlers of a worker.
pub(crate) fn handlers(journal: &Journal, rules: &Rules) -> Vec<Handler> {
    let handlers = [
        takes("plain", journal, rules.work),
        takes("quick", journal, Duration::ZERO),
        takes("long", journal, LONG),
        takes("later", journal, rules.work),
        takes("limited", journal, rules.work).cluster_limit("bank", rules.limit),
        takes("sleeps", journal, rules.sleep).limit(rules.sleepers),
        parks(journal),
        pays(journal, rules.work),
        tells(journal, rules.work),
        waits(journal, rules.waits_to_end),
    ];
    handlers.into_iter().map(|handler| handler.policy(policy(rules.deadline))).collect()
}

/// Some of everything that has an abort point of its own. Effects have trials of their own (`only=pays`): whoever is
/// stopped inside their transaction hears of its death in another way.
pub(crate) fn new_task(n: usize) -> New {
    match n % 6 {
        0 => New::kind("parks", ""),
        1 => New::kind("plain", "").serial("one"),
        2 => New::kind("later", "").after(Duration::from_millis(20)),
        3 => New::kind("limited", ""),
        4 => New::kind("plain", "").key(format!("key {}", KEYS.fetch_add(1, Ordering::Relaxed))),
        _ => New::kind("plain", ""),
    }
}

fn policy(deadline: Duration) -> Policy {
    let mut policy = Policy::default();
    policy.deadline = deadline;
    policy.retention = Retention::Delete;
    policy.retry = Retry::fixed(Duration::from_millis(10), 1000);
    policy.lost_max = 1000;
    policy
}

fn takes(kind: &str, journal: &Journal, work: Duration) -> Handler {
    let journal = journal.clone();
    Handler::of(kind, move |run: Run| {
        let journal = journal.clone();
        async move {
            journal.ran(&run);
            if !work.is_zero() {
                tokio::time::sleep(work).await;
            }
        }
    })
}

/// Parks at its first run and is done at its next.
fn parks(journal: &Journal) -> Handler {
    let journal = journal.clone();
    Handler::of("parks", move |run: Run| {
        let journal = journal.clone();
        async move {
            journal.ran(&run);
            if run.task().failures == 0 {
                Outcome::Later { until: When::After(PARKED) }
            } else {
                Outcome::Done
            }
        }
    })
}

/// Ends when it is told to, and writes down when that was; or at once, in a worker that is not to wait.
fn waits(journal: &Journal, waits_to_end: bool) -> Handler {
    let journal = journal.clone();
    Handler::of("waits", move |run: Run| {
        let journal = journal.clone();
        async move {
            journal.ran(&run);
            if waits_to_end {
                run.cancelled().await;
                journal.cancelled(&run);
            }
        }
    })
}

/// Leaves a row beside the tasks, committed together with its end.
fn pays(journal: &Journal, work: Duration) -> Handler {
    let journal = journal.clone();
    Handler::of("pays", move |run: Run| {
        let journal = journal.clone();
        async move {
            journal.ran(&run);
            tokio::time::sleep(work).await;
            pay(&run).await
        }
    })
}

/// Shows its token to the system outside whose address it carries, before it does anything else: also when its worker
/// was stopped and wakes up too late.
fn tells(journal: &Journal, work: Duration) -> Handler {
    let journal = journal.clone();
    Handler::of("tells", move |run: Run| {
        let journal = journal.clone();
        async move {
            journal.ran(&run);
            let address = run.task().payload.as_ref().map(|payload| String::from_utf8_lossy(&payload.bytes));
            show(&address.unwrap_or_default(), run.token())?;
            tokio::time::sleep(work).await;
            Ok::<_, BoxError>(())
        }
    })
}

/// Without an await: a run that is told to end must not escape here.
fn show(address: &str, token: Fence) -> Result<(), BoxError> {
    let mut outside = TcpStream::connect(address)?;
    outside.write_all(format!("{token}\n").as_bytes())?;
    let mut answer = String::new();
    outside.read_to_string(&mut answer)?;
    if answer == "refused" { Err("a newer run of this task was there".into()) } else { Ok(()) }
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
