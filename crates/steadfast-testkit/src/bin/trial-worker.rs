//! The worker of all trials: adds and runs tasks, and dies or stops at a named point of the protocol.
//!
//! It writes what it does to a journal that outlives it: `ADDED id` when an add was acknowledged and
//! `RUN micros name id grant` when a handler starts. Usage:
//!
//! `trial-worker DATABASE JOURNAL NAME LEASE_MS [ADDS [POINT NTH kill|stop]]`
// This is test code: a trial that cannot go on says so by a panic.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use rustix::process::{Signal, getpid, kill_process};
use std::fs::OpenOptions;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use steadfast::{Engine, Handler, New, Outcome, Policy, Retention, Retry, Run, When};
use steadfast_core::abort::{self, Point};

/// How long a run takes: long enough to be caught in the middle.
const WORK: Duration = Duration::from_millis(30);
/// How often more is added while a point has not been passed, and for how long.
const WAVE: Duration = Duration::from_millis(300);
const WAVES_MAX: usize = 60;
/// How long a parked task waits before it is tried again.
const PARKED: Duration = Duration::from_millis(500);

#[derive(Clone)]
struct Journal {
    path: Arc<str>,
    name: Arc<str>,
}

impl Journal {
    /// One write call a line, appended: lines of several processes do not mix.
    fn write(&self, line: &str) {
        let mut file =
            OpenOptions::new().create(true).append(true).open(&*self.path).expect("the journal opens");
        file.write_all(format!("{line}\n").as_bytes()).expect("the journal is written");
    }

    fn ran(&self, run: &Run) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is after 1970").as_micros();
        self.write(&format!("RUN {now} {} {} {}", self.name, run.task().id, run.task().grant));
    }
}

#[tokio::main]
async fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [database, journal, name, lease_ms, rest @ ..] = args.as_slice() else {
        panic!("usage: trial-worker DATABASE JOURNAL NAME LEASE_MS [ADDS [POINT NTH kill|stop]]")
    };
    let journal = Journal { path: journal.as_str().into(), name: name.as_str().into() };
    let lease = Duration::from_millis(lease_ms.parse().expect("a lease in ms"));
    if let [_, point, nth, deed] = rest {
        arm(point, nth.parse().expect("a number"), deed, journal.clone());
    }
    let engine = steadfast::connect(&format!("sqlite:{database}"))
        .await
        .expect("the store opens")
        .configure(|config| {
            config.name.clone_from(name);
            config.lease = lease;
            config.slots = 4;
        })
        .register(plain(&journal))
        .register(parks(&journal))
        .start()
        .await
        .expect("the engine starts");
    journal.write(&format!("UP {name}"));
    let adds: usize = rest.first().map_or(0, |adds| adds.parse().expect("a number"));
    // Calls meet in batches, so that a point may be passed seldom: whoever waits for one goes on adding.
    let waves = if rest.len() > 1 { WAVES_MAX } else { adds.min(1) };
    for _ in 0..waves {
        add_wave(&engine, &journal, adds).await;
        tokio::time::sleep(WAVE).await;
    }
    std::future::pending::<()>().await;
}

/// Adds tasks from as many callers at once, and writes down which were acknowledged.
async fn add_wave(engine: &Engine, journal: &Journal, adds: usize) {
    let mut calls = Vec::new();
    for n in 0..adds {
        let (engine, journal) = (engine.clone(), journal.clone());
        calls.push(tokio::spawn(async move {
            let added = engine.add(new_task(n)).await.expect("it is added");
            journal.write(&format!("ADDED {}", added.id));
        }));
    }
    for call in calls {
        call.await.expect("the caller lives");
    }
}

/// Some of everything that has an abort point of its own.
fn new_task(n: usize) -> New {
    match n % 5 {
        0 => New::kind("parks", ""),
        1 => New::kind("plain", "").serial("one"),
        2 => New::kind("plain", "").after(Duration::from_millis(20)),
        _ => New::kind("plain", ""),
    }
}

fn policy() -> Policy {
    let mut policy = Policy::default();
    policy.retention = Retention::Delete;
    policy.retry = Retry::fixed(Duration::from_millis(10), 1000);
    policy
}

fn plain(journal: &Journal) -> Handler {
    let journal = journal.clone();
    let handler = Handler::of("plain", move |run: Run| {
        let journal = journal.clone();
        async move {
            journal.ran(&run);
            tokio::time::sleep(WORK).await;
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

/// Dies or stops when a point is passed for the nth time.
fn arm(name: &str, nth: u64, deed: &str, journal: Journal) {
    let point = Point::ALL.into_iter().find(|point| point.name() == name).expect("a known point");
    let signal = match deed {
        "kill" => Signal::KILL,
        "stop" => Signal::STOP,
        _ => panic!("kill or stop"),
    };
    let deed = deed.to_owned();
    let passed = AtomicU64::new(0);
    abort::set(move |at| {
        if at == point && passed.fetch_add(1, Ordering::SeqCst) + 1 == nth {
            journal.write(&format!("{} {}", deed.to_uppercase(), journal.name));
            kill_process(getpid(), signal).expect("a process may signal itself");
        }
    });
}
