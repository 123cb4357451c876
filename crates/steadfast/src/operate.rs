//! What operators do beside acting on single tasks: buckets, cleaning, health, and why a task is not running.

use crate::engine::Engine;
use crate::error::Result;
use crate::health;
use crate::news::News;
use crate::settle::RECEIPTS_KEPT;
use crate::sweeper::DEAD_KEPT;
use std::sync::Arc;
use std::time::Duration;
use steadfast_core::seam::{Clean, Cleaned, KindRow, WorkerRow};
use steadfast_core::{
    Bucket, ClusterPath, Facts, Filter, Finding, Hint, Kind, Status, Task, TaskId, Time, Why, why,
};

/// Runs that are looked at to say why a task waits; with more it may be said less exactly.
const RUNNING_MAX: usize = 10_000;

impl Engine {
    /// The store's clock.
    pub async fn now(&self) -> Result<Time> {
        Ok(self.shared.store.now().await?)
    }

    /// The version of the store's schema, to which opening it brought it; none if the store has no schema.
    pub fn schema(&self) -> Option<usize> {
        self.shared.store.schema()
    }

    /// The kinds that programs have declared, with their policies.
    pub async fn kinds(&self) -> Result<Vec<KindRow>> {
        Ok(self.shared.store.kinds().await?)
    }

    /// Pauses a bucket: nothing more is grabbed from it. What runs goes on; a worker that adds tasks there may still
    /// start some of them for a second.
    pub async fn pause_bucket(&self, bucket: Bucket) -> Result<()> {
        self.shared.store.pause_bucket(bucket, true).await?;
        self.shared.hints.ring(Hint::LookAll);
        Ok(())
    }

    /// Lets a paused bucket go on, everywhere within a second.
    pub async fn release_bucket(&self, bucket: Bucket) -> Result<()> {
        self.shared.store.pause_bucket(bucket, false).await?;
        self.shared.hints.ring(Hint::LookAll);
        Ok(())
    }

    /// Stops taking tasks from a bucket in this worker; others go on, and so does what runs here. For all workers, see
    /// [`pause_bucket`](Self::pause_bucket).
    pub fn stop_bucket(&self, bucket: Bucket) {
        self.shared.stopped().insert(bucket);
    }

    /// Takes tasks from a bucket again that was stopped in this worker.
    pub fn start_bucket(&self, bucket: &Bucket) {
        self.shared.stopped().remove(bucket);
        // An engine that is gone takes nothing from anywhere.
        let _ = self.news.send(News::Sweep(Vec::new()));
    }

    /// The buckets that are stopped in this worker.
    pub fn stopped_buckets(&self) -> Vec<Bucket> {
        self.shared.stopped().iter().cloned().collect()
    }

    /// The buckets that are paused.
    pub async fn paused_buckets(&self) -> Result<Vec<Bucket>> {
        Ok(self.shared.store.paused_buckets().await?)
    }

    /// Removes up to `n_max` tasks that ended longer ago than this, and what else is past its time. Workers do so by
    /// themselves; call it again until it removes nothing.
    pub async fn clean(&self, history: Duration, n_max: usize) -> Result<Cleaned> {
        let clean = Clean { history, receipts: RECEIPTS_KEPT, workers: DEAD_KEPT, n_max };
        Ok(self.shared.store.clean(clean).await?)
    }

    /// Looks at the store's health: its settings, its clock, workers that fell silent, tasks that are stuck or lost,
    /// kinds that nobody handles, buckets that are paused or that this worker does not serve.
    pub async fn check(&self) -> Result<Vec<Finding>> {
        let host = Time::from_micros(i64::try_from(self.shared.runtime.unix_ms()).unwrap_or(0) * 1000);
        let store = &self.shared.store;
        let now = store.now().await?;
        let mut findings = store.check().await?;
        let workers = store.workers().await?;
        let counts = store.count(Filter::default()).await?;
        let running = self.find_all(running(), RUNNING_MAX).await?;
        findings.push(health::clock(now, host));
        findings.push(health::workers(&workers, now));
        findings.push(health::runs(&running, &workers, now));
        findings.push(health::errors(&counts));
        findings.push(health::orphans(&counts, &workers, now));
        findings.push(health::buckets(&store.paused_buckets().await?, &self.stopped_buckets()));
        Ok(findings)
    }

    /// Says why a task is not running; none if there is no such task.
    pub async fn why(&self, id: TaskId) -> Result<Option<Why>> {
        let store = &self.shared.store;
        let Some(task) = store.get(id).await? else { return Ok(None) };
        let facts = self.facts(&task).await?;
        // What was seen after the task may belong to its next moment: then look once more.
        match store.get(id).await? {
            Some(again) if again.version != task.version => {
                let facts = self.facts(&again).await?;
                Ok(Some(why(&again, &facts)))
            }
            _ => Ok(Some(why(&task, &facts))),
        }
    }

    async fn facts(&self, task: &Task) -> Result<Facts> {
        let store = &self.shared.store;
        let workers = store.workers().await?;
        // Only a ready task waits for room; for all others the runs need not be read.
        let (running, cluster) = match task.status {
            Status::Ready => (self.running_beside(task, &workers).await?, self.cluster(task).await?),
            _ => (Vec::new(), Vec::new()),
        };
        Ok(Facts {
            now: store.now().await?,
            policy: Arc::unwrap_or_clone(self.policy_of(&task.kind).await?),
            bucket_paused: store.paused_buckets().await?.contains(&task.bucket),
            head: self.head(task).await?,
            cluster,
            workers,
            running,
        })
    }

    /// What runs on the workers that handle a task's kind.
    async fn running_beside(&self, task: &Task, workers: &[WorkerRow]) -> Result<Vec<Task>> {
        let mut runs = Vec::new();
        for row in workers.iter().filter(|row| row.offer.find(&task.kind).is_some()) {
            let filter = Filter { worker: Some(row.worker), ..running() };
            runs.append(&mut self.find_all(filter, RUNNING_MAX).await?);
        }
        Ok(runs)
    }

    async fn policy_of(&self, kind: &Kind) -> Result<Arc<steadfast_core::Policy>> {
        self.shared.policies.refresh_for(kind).await?;
        Ok(self.shared.policies.of(kind))
    }

    /// How full the limits of the cluster are that a task is under. What runs counts by its own kind's limits.
    async fn cluster(&self, task: &Task) -> Result<Vec<(String, u32, u32)>> {
        let Some(path) = self.policy_of(&task.kind).await?.cluster_path(&task.kind) else {
            return Ok(Vec::new());
        };
        let running = self.find_all(running(), RUNNING_MAX).await?;
        let leaf = |run: &Task| self.shared.policies.of(&run.kind).cluster_path(&run.kind);
        let leaves: Vec<ClusterPath> = running.iter().filter_map(leaf).collect();
        let full = |(limit, max): (&str, u32)| {
            let n = leaves.iter().filter(|other| other.leaf().starts_with(limit)).count();
            (limit.to_owned(), u32::try_from(n).unwrap_or(u32::MAX), max)
        };
        Ok(path.limits().map(full).collect())
    }

    async fn head(&self, task: &Task) -> Result<Option<Task>> {
        if task.status != Status::Held || task.serial.is_none() {
            return Ok(None);
        }
        let others =
            self.find_all(Filter { serial: task.serial.clone(), ..Filter::default() }, RUNNING_MAX).await?;
        Ok(others.into_iter().find(|other| other.status.is_head()))
    }
}

fn running() -> Filter {
    Filter { status: Some(Status::Running), ..Filter::default() }
}
