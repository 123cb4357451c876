//! What every Rust peer's program shares: the command line, the loads and the answer.
//!
//! A program says how its library adds, runs and counts, as a [`Peer`]; everything that is measured is done here, so
//! that all of them are measured alike. ../README.md tells the command line and the answers.

mod answer;
mod command;
mod loads;
mod recorder;

use serde::{Deserialize, Serialize};
use std::future::Future;
use std::ops::Range;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

pub use recorder::Recorder;

pub type Error = Box<dyn std::error::Error + Send + Sync>;
pub type Result<T> = std::result::Result<T, Error>;

/// What a task carries: its number, and when its add was called.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Job {
    pub number: u32,
    pub called_us: u64,
}

impl Job {
    pub fn now(number: u32) -> Self {
        Self { number, called_us: now_us() }
    }
}

/// What a worker is asked to be good at, where a library has to choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    Throughput,
    Latency,
}

/// A library that is measured.
pub trait Peer: Sized + Send + Sync + 'static {
    /// Connects, and makes its tables if they are not there.
    fn open(url: String) -> impl Future<Output = Result<Self>> + Send;

    /// Adds many tasks in the fastest way that it has.
    fn fill(&self, numbers: Range<u32>) -> impl Future<Output = Result<()>> + Send;

    /// Adds one task and answers when it is committed.
    fn add(&self, job: Job) -> impl Future<Output = Result<()>> + Send;

    /// Starts a worker that tells the recorder of every task and does nothing else; it runs until the program ends.
    fn work(&self, recorder: Arc<Recorder>, mood: Mood) -> impl Future<Output = Result<()>> + Send;

    /// Tasks that are not done.
    fn left(&self) -> impl Future<Output = Result<u64>> + Send;
}

/// Obeys the command line: the whole of a peer's program.
pub fn main<P: Peer>() -> Result<()> {
    let command = command::parse(std::env::args().skip(1))?;
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(loads::run::<P>(command))?;
    // Workers have no end of their own.
    std::process::exit(0)
}

/// Microseconds of the clock that all processes of a machine share.
pub fn now_us() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}
