//! What the store says at one moment. Whatever the demo shows of tasks and workers comes from here.

use super::news::News;
use anyhow::Result;
use std::time::{Duration, Instant, SystemTime};
use steadfast::core::seam::{Count, WorkerRow};
use steadfast::{Engine, Filter, Scope, Status, Task, Time};
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::MissedTickBehavior;

/// How often the store is looked at.
const EVERY: Duration = Duration::from_millis(250);
/// Most running or waiting tasks that are read; there are far fewer.
const TASKS_MAX: usize = 1_000;

pub(super) struct Snapshot {
    /// When the look began: what happened before is in it.
    pub(super) begun: Instant,
    /// The same by the wall clock, which is the store's here.
    pub(super) now: Time,
    /// Living tasks by kind and status.
    pub(super) live: Vec<Count>,
    /// Ended ones.
    pub(super) ended: Vec<Count>,
    pub(super) running: Vec<Task>,
    pub(super) waiting: Vec<Task>,
    pub(super) workers: Vec<WorkerRow>,
}

/// Looks again and again until nobody wants to know.
pub(super) async fn watch(engine: Engine, news: UnboundedSender<News>) -> Result<()> {
    let mut turns = tokio::time::interval(EVERY);
    turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        turns.tick().await;
        let snapshot = Snapshot::take(&engine).await?;
        if news.send(News::Seen(Box::new(snapshot))).is_err() {
            return Ok(());
        }
    }
}

impl Snapshot {
    /// Living tasks first: one that ends meanwhile is counted twice, but never missed.
    pub(super) async fn take(engine: &Engine) -> Result<Self> {
        let of = |status| Filter { status: Some(status), ..Filter::default() };
        Ok(Self {
            begun: Instant::now(),
            now: Time::from_system("now", SystemTime::now())?,
            live: engine.count(Filter::default()).await?,
            ended: engine.count(Filter { scope: Scope::History, ..Filter::default() }).await?,
            running: engine.find(of(Status::Running), None, TASKS_MAX).await?.tasks,
            waiting: engine.find(of(Status::Waiting), None, TASKS_MAX).await?.tasks,
            workers: engine.workers().await?,
        })
    }

    /// How many tasks of a kind have a status.
    pub(super) fn count(&self, kind: &str, status: Status) -> u64 {
        let all = self.live.iter().chain(&self.ended);
        all.filter(|count| count.kind.as_str() == kind && count.status == status).map(|count| count.n).sum()
    }

    /// Tasks that have ended well.
    pub(super) fn done(&self) -> u64 {
        self.ended.iter().map(|count| count.n).sum()
    }

    /// Living tasks that no person is needed for.
    pub(super) fn left(&self) -> u64 {
        self.live.iter().filter(|count| count.status != Status::Error).map(|count| count.n).sum()
    }

    /// The worker that has this name now; a dead one only if no other has it.
    pub(super) fn worker(&self, name: &str) -> Option<&WorkerRow> {
        let named = self.workers.iter().filter(|row| row.name == name);
        named.max_by_key(|row| (!row.dead, row.lease_until))
    }

    /// What a worker holds as running.
    pub(super) fn held<'a>(&'a self, row: &'a WorkerRow) -> impl Iterator<Item = &'a Task> {
        self.running.iter().filter(|task| task.worker == Some(row.worker))
    }
}
