//! Loads whose batches are the same every time, so that what they cost is, too.

use super::told::{Told, add_many};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use steadfast::Retention;
use steadfast_core::Store;

/// Callers of a crowd: their adds meet in one batch.
const CALLERS: usize = 50;

/// What is done to an engine. It has to stand on a runtime of one thread: there batches form alike every time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Load {
    /// A caller adds a task when the one before has ended.
    Lone,
    /// Callers add a task each at once, and again when all of these have ended.
    Crowd,
    /// Ready tasks that were there before the engine are worked off.
    Backlog,
    /// The same, with every ended task kept in the history.
    Kept,
}

impl Load {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Lone, Self::Crowd, Self::Backlog, Self::Kept];

    /// Tasks that make a load on a database: so many that a start does not show.
    pub const fn n(self) -> usize {
        match self {
            Self::Lone => 200,
            Self::Crowd => 1000,
            Self::Backlog | Self::Kept => 5000,
        }
    }

    /// Runs that many tasks to their accepted ends. `begin` is called when all is there and the first of them may come.
    pub async fn run<S: Store>(self, store: &Arc<S>, n: usize, begin: impl AsyncFnOnce()) {
        match self {
            Self::Lone => add(store, n, 1, begin).await,
            Self::Crowd => add(store, n, CALLERS, begin).await,
            Self::Backlog => work_off(store, n, Retention::Delete, begin).await,
            Self::Kept => work_off(store, n, Retention::History, begin).await,
        }
    }
}

async fn add<S: Store>(store: &Arc<S>, n: usize, callers: usize, begin: impl AsyncFnOnce()) {
    let mut told = Told::start(store, Retention::Delete).await;
    told.warm().await;
    begin().await;
    told.add(n, callers).await;
    told.leave().await;
}

async fn work_off<S: Store>(store: &Arc<S>, n: usize, retention: Retention, begin: impl AsyncFnOnce()) {
    add_many(store, n).await;
    begin().await;
    let mut told = Told::start(store, retention).await;
    told.ends(n).await;
    told.leave().await;
}

impl fmt::Display for Load {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Lone => "lone",
            Self::Crowd => "crowd",
            Self::Backlog => "backlog",
            Self::Kept => "kept",
        })
    }
}

impl FromStr for Load {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let load = Self::ALL.into_iter().find(|load| load.to_string() == text);
        load.ok_or_else(|| format!("no load `{text}` (known: lone, crowd, backlog, kept)"))
    }
}
