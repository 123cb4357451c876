//! The worker of all trials: adds and runs tasks, and dies or stops at a named point of the protocol.
//!
//! It writes what it does to a journal that outlives it: `ADDED id` when an add was acknowledged,
//! `RUN micros name id grant worker` when a handler starts, `CANCELLED micros name token` when one is told to end, and the
//! engine's warnings. Told to end (SIGTERM), it leaves cleanly. Usage:
//!
//! `trial-worker URL JOURNAL NAME [lease_ms=N] [slots=N] [grace_ms=N] [work_ms=N] [limit=N] [deadline_ms=N]
//! [memory_mb=N] [sleep_ms=N] [sleepers=N] [adds=N] [waves=N] [waits=1] [only=KIND] [payload=TEXT]
//! [point=NAME nth=N deed=kill|stop]`
// This is test code: a trial that cannot go on says so by a panic.
#![allow(clippy::expect_used, clippy::unwrap_used)]

mod journal;
mod kinds;
mod options;
mod poison;

use journal::{Journal, Warnings};
use kinds::Rules;
use options::Options;
use rustix::process::{Resource, Rlimit, Signal, getpid, kill_process, setrlimit};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use steadfast::{Builder, Engine, New, Policy};
use steadfast_core::abort::{self, Point};
use tokio::signal::unix::{SignalKind, signal};

/// How long a run takes: long enough to be caught in the middle.
const WORK: Duration = Duration::from_millis(30);
/// How often more is added while a point has not been passed, and for how long.
const WAVE: Duration = Duration::from_millis(300);
const WAVES_MAX: usize = 60;
const STARTS_MAX: usize = 100;
/// Longer than a signal takes to reach every thread.
const HOLD: Duration = Duration::from_secs(1);
const LEASE: Duration = Duration::from_secs(15);
const GRACE: Duration = Duration::from_secs(30);

#[tokio::main]
async fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [url, journal, name, words @ ..] = args.as_slice() else {
        panic!("usage: trial-worker URL JOURNAL NAME [name=value...]")
    };
    let options = Options::new(words);
    let journal = Journal { path: journal.as_str().into(), name: name.as_str().into() };
    tracing::subscriber::set_global_default(Warnings(journal.clone())).expect("the only subscriber");
    if let Some(point) = options.text("point") {
        arm(
            point,
            options.number("nth").unwrap_or(1),
            options.text("deed").expect("a deed"),
            journal.clone(),
        );
    }
    if let Some(megabytes) = options.number::<u64>("memory_mb") {
        let bytes = Some(megabytes * 1024 * 1024);
        setrlimit(Resource::As, Rlimit { current: bytes, maximum: bytes }).expect("a limit can be lowered");
    }
    let engine = start(url, &journal, &options).await;
    journal.write(&format!("UP {name}"));
    let mut end = signal(SignalKind::terminate()).expect("the signal can be heard");
    tokio::select! {
        () = add(&engine, &journal, &options) => {}
        _ = end.recv() => {}
    }
    let drained = engine.drain().await.expect("it drains");
    journal.write(&format!("LEFT {name} {}", drained.left_behind));
}

/// Starts the engine; a server that is not there just now may come back.
async fn start(url: &str, journal: &Journal, options: &Options) -> Engine {
    for _ in 0..STARTS_MAX {
        match try_start(url, journal, options).await {
            Ok(engine) => return engine,
            Err(error) => journal.write(&format!("NOT UP {} {error}", journal.name)),
        }
        tokio::time::sleep(WAVE).await;
    }
    panic!("the engine does not start");
}

async fn try_start(url: &str, journal: &Journal, options: &Options) -> steadfast::Result<Engine> {
    let configured = steadfast::connect(url).await?.configure(|config| {
        config.name = journal.name.to_string();
        config.lease = options.ms("lease_ms", LEASE);
        config.grace = options.ms("grace_ms", GRACE);
        config.slots = options.number("slots").unwrap_or(4);
    });
    let rules = Rules {
        work: options.ms("work_ms", WORK),
        deadline: options.ms("deadline_ms", Policy::DEADLINE),
        sleep: options.ms("sleep_ms", WORK),
        sleepers: options.number("sleepers").unwrap_or(32),
        limit: options.number("limit").unwrap_or(5),
        waits_to_end: options.text("waits").is_some(),
    };
    let handlers = kinds::handlers(journal, &rules).into_iter().chain(poison::handlers(journal));
    handlers.fold(configured, Builder::register).start().await
}

/// Adds what it was told to, and never ends. Calls meet in batches, so that a point may be passed seldom: whoever
/// waits for one goes on adding.
async fn add(engine: &Engine, journal: &Journal, options: &Options) {
    let adds: usize = options.number("adds").unwrap_or(0);
    let usual = if options.text("point").is_some() { WAVES_MAX } else { adds.min(1) };
    let waves = options.number("waves").unwrap_or(usual);
    for _ in 0..waves {
        add_wave(engine, journal, adds, options).await;
        tokio::time::sleep(WAVE).await;
    }
    std::future::pending::<()>().await;
}

/// Adds tasks from as many callers at once, and writes down which were acknowledged.
async fn add_wave(engine: &Engine, journal: &Journal, adds: usize, options: &Options) {
    let mut calls = Vec::new();
    let payload = options.text("payload").unwrap_or_default();
    for n in 0..adds {
        let (engine, journal) = (engine.clone(), journal.clone());
        let new = options.text("only").map_or_else(|| kinds::new_task(n), |kind| New::kind(kind, payload));
        calls.push(tokio::spawn(async move {
            match engine.add(new).await {
                Ok(added) => journal.write(&format!("ADDED {}", added.id)),
                Err(error) => journal.write(&format!("NOT ADDED {error}")),
            }
        }));
    }
    for call in calls {
        call.await.expect("the caller lives");
    }
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
            let began = Instant::now();
            kill_process(getpid(), signal).expect("a process may signal itself");
            // The signal may reach another thread first; this one must not go past the point meanwhile. The time of a
            // stop counts, wherever it began.
            while began.elapsed() < HOLD {
                std::thread::sleep(HOLD / 100);
            }
        }
    });
}
