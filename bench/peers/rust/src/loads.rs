//! The loads, the same for every peer.

use crate::command::{Command, Load};
use crate::{Job, Mood, Peer, Recorder, Result, answer};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// For a worker's listeners to come up before anything is added.
const SETTLE: Duration = Duration::from_millis(300);
/// A worker that has run nothing for so long will not run the rest.
const PATIENCE: Duration = Duration::from_secs(10);
const POLL_EVERY: Duration = Duration::from_millis(1);

pub async fn run<P: Peer>(command: Command) -> Result<()> {
    let Command { load, url, tasks, callers, rate } = command;
    let peer = Arc::new(P::open(url).await?);
    match load {
        Load::Fill => fill(&*peer, tasks).await?,
        Load::Drain => drain(&*peer, tasks).await?,
        Load::Add => add(&peer, callers, tasks).await?,
        Load::Cycle => cycle(&peer, callers, tasks).await?,
        Load::Latency => latency(&peer, rate, tasks).await?,
        Load::Serve => serve(&*peer, tasks).await?,
        Load::Call => call(&*peer, rate, tasks).await?,
    }
    answer::stay()
}

async fn fill<P: Peer>(peer: &P, tasks: u32) -> Result<()> {
    let began = answer::began();
    peer.fill(0..tasks).await?;
    answer::added(tasks, began.elapsed().as_secs_f64(), peer.left().await?);
    Ok(())
}

async fn drain<P: Peer>(peer: &P, tasks: u32) -> Result<()> {
    let recorder = Arc::new(Recorder::new(tasks));
    let began = answer::began();
    peer.work(recorder.clone(), Mood::Throughput).await?;
    wait(peer, &recorder, tasks).await?;
    answer::ran(tasks, began.elapsed().as_secs_f64(), &recorder);
    Ok(())
}

async fn add<P: Peer>(peer: &Arc<P>, callers: u32, tasks: u32) -> Result<()> {
    let began = answer::began();
    add_from_many(peer, callers, tasks).await?;
    answer::added(tasks, began.elapsed().as_secs_f64(), peer.left().await?);
    Ok(())
}

async fn cycle<P: Peer>(peer: &Arc<P>, callers: u32, tasks: u32) -> Result<()> {
    let recorder = Arc::new(Recorder::new(tasks));
    peer.work(recorder.clone(), Mood::Throughput).await?;
    tokio::time::sleep(SETTLE).await;
    let began = answer::began();
    add_from_many(peer, callers, tasks).await?;
    wait(&**peer, &recorder, tasks).await?;
    answer::ran(tasks, began.elapsed().as_secs_f64(), &recorder);
    Ok(())
}

async fn latency<P: Peer>(peer: &Arc<P>, rate: u32, tasks: u32) -> Result<()> {
    let recorder = Arc::new(Recorder::new(tasks));
    peer.work(recorder.clone(), Mood::Latency).await?;
    tokio::time::sleep(SETTLE).await;
    let began = answer::began();
    // From a thread of the runtime, as a service would.
    let caller = peer.clone();
    tokio::spawn(async move { add_by_plan(&*caller, rate, tasks).await }).await??;
    wait(&**peer, &recorder, tasks).await?;
    answer::ran(tasks, began.elapsed().as_secs_f64(), &recorder);
    Ok(())
}

async fn serve<P: Peer>(peer: &P, tasks: u32) -> Result<()> {
    let recorder = Arc::new(Recorder::new(tasks));
    peer.work(recorder.clone(), Mood::Latency).await?;
    tokio::time::sleep(SETTLE).await;
    let began = answer::began();
    wait(peer, &recorder, tasks).await?;
    answer::ran(tasks, began.elapsed().as_secs_f64(), &recorder);
    Ok(())
}

async fn call<P: Peer>(peer: &P, rate: u32, tasks: u32) -> Result<()> {
    let began = answer::began();
    add_by_plan(peer, rate, tasks).await?;
    // Another process runs them: how many are left says nothing.
    answer::added(tasks, began.elapsed().as_secs_f64(), u64::from(tasks));
    Ok(())
}

/// By the plan and not by the last one: a slow add must not thin out the load.
async fn add_by_plan<P: Peer>(peer: &P, rate: u32, tasks: u32) -> Result<()> {
    let began = Instant::now();
    for number in 0..tasks {
        let due = Duration::from_secs(1) * number / rate;
        tokio::time::sleep(due.saturating_sub(began.elapsed())).await;
        peer.add(Job::now(number)).await?;
    }
    Ok(())
}

async fn add_from_many<P: Peer>(peer: &Arc<P>, callers: u32, tasks: u32) -> Result<()> {
    let next = Arc::new(AtomicU32::new(0));
    let callers: Vec<_> =
        (0..callers).map(|_| tokio::spawn(add_some(peer.clone(), next.clone(), tasks))).collect();
    for caller in callers {
        caller.await??;
    }
    Ok(())
}

async fn add_some<P: Peer>(peer: Arc<P>, next: Arc<AtomicU32>, tasks: u32) -> Result<()> {
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= tasks {
            return Ok(());
        }
        peer.add(Job::now(number)).await?;
    }
}

/// Until all have run and none is left, or nothing moves any more: the recorder knows which.
async fn wait<P: Peer>(peer: &P, recorder: &Recorder, tasks: u32) -> Result<()> {
    let (mut seen, mut moved) = (0, Instant::now());
    while recorder.hits() < tasks && moved.elapsed() < PATIENCE {
        if recorder.hits() > seen {
            (seen, moved) = (recorder.hits(), Instant::now());
        }
        tokio::time::sleep(POLL_EVERY).await;
    }
    while recorder.hits() >= tasks && peer.left().await? > 0 && moved.elapsed() < PATIENCE {
        tokio::time::sleep(POLL_EVERY).await;
    }
    Ok(())
}
