//! The main job, the hard way: a worker is killed with `kill -9` while it works, again and again, and nothing is
//! lost and nothing is finished twice.
//!
//! The parent adds tasks and counts; its children are the workers. Run it with
//! `cargo run --release --example crash`.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Child, Command};
use std::time::{Duration, Instant};
use steadfast::{Builder, Engine, Filter, Handler, New, Run, Scope, Status};

const TASKS: u64 = 2000;
const KILLS: u64 = 3;

type AnyError = Box<dyn std::error::Error>;

#[tokio::main]
async fn main() -> Result<(), AnyError> {
    match std::env::args().nth(1) {
        Some(database) => work(&database).await,
        None => lead().await,
    }
}

/// A worker: takes 20 ms for each task, until it is killed.
async fn work(database: &str) -> Result<(), AnyError> {
    let handler = Handler::of("payout", |_: Run| tokio::time::sleep(Duration::from_millis(20)));
    let _engine = open(database).await?.register(handler).start().await?;
    std::future::pending().await
}

/// Adds tasks, kills workers, and counts what became of them.
async fn lead() -> Result<(), AnyError> {
    let dir = tempfile::tempdir()?;
    let database = format!("sqlite:{}", dir.path().join("tasks.db").display());
    let engine = open(&database).await?.start().await?;
    engine.add_many((0..TASKS).map(|n| New::json("payout", &n).id(format!("payout-{n}")))).await?;
    println!("added {TASKS} payouts; they are on disk before `add_many` returns");
    for kill in 1..=KILLS {
        let worker = Worker::start(&database)?;
        wait_for(&engine, kill * TASKS / (KILLS + 1)).await?;
        drop(worker);
        println!(
            "\nkill -9, {kill} of {KILLS}, with {} done: the next worker takes over",
            done(&engine).await?
        );
    }
    let _last = Worker::start(&database)?;
    wait_for(&engine, TASKS).await?;
    report(&engine).await
}

async fn open(database: &str) -> steadfast::Result<Builder> {
    let builder = steadfast::connect(database).await?;
    // A short lease, so that nobody has to wait for the takeover. The default is 15 s.
    Ok(builder.configure(|config| {
        config.lease = Duration::from_secs(2);
        config.slots = 16;
    }))
}

/// A worker process. It gets no chance to say goodbye.
struct Worker(Child);

impl Worker {
    fn start(database: &str) -> std::io::Result<Self> {
        Command::new(std::env::current_exe()?).arg(database).spawn().map(Self)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // On Unix this is kill -9.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

async fn wait_for(engine: &Engine, wanted: u64) -> Result<(), AnyError> {
    let start = Instant::now();
    loop {
        let done = done(engine).await?;
        print!("\r{done:>5} of {TASKS} done");
        std::io::stdout().flush()?;
        if done >= wanted {
            return Ok(());
        }
        if start.elapsed() > Duration::from_secs(60) {
            return Err("nothing happens any more".into());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn done(engine: &Engine) -> steadfast::Result<u64> {
    let counts = engine.count(Filter { scope: Scope::History, ..Filter::default() }).await?;
    Ok(counts.iter().filter(|count| count.status == Status::Done).map(|count| count.n).sum())
}

/// Every payout is in the history once; those that were caught in the middle ran again.
async fn report(engine: &Engine) -> Result<(), AnyError> {
    let (mut done, mut repeated, mut after) = (BTreeMap::<String, u64>::new(), 0, None);
    loop {
        let page = engine.find(Filter { scope: Scope::History, ..Filter::default() }, after, 1000).await?;
        for task in &page.tasks {
            let payout = task.key.as_ref().map_or_else(String::new, |key| key.name.clone());
            *done.entry(payout).or_default() += 1;
        }
        repeated += page.tasks.iter().filter(|task| task.lost > 0).count();
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    let lost = (0..TASKS).filter(|n| !done.contains_key(&format!("payout-{n}"))).count();
    let twice = done.values().filter(|times| **times > 1).count();
    println!("\n\nadded {TASKS}, done {}, lost {lost}, finished twice {twice}", done.len());
    println!("{repeated} runs died with their worker and ran again");
    if lost + twice == 0 { Ok(()) } else { Err("the sums do not add up".into()) }
}
