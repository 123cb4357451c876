//! riverqueue: the settings of River's own bench.

use riverqueue::migrate::PostgresMigrator;
use riverqueue::{BoxError, Client, JobArgs, QueueConfig, WorkContext, WorkOutcome, Workers};
use serde::{Deserialize, Serialize};
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;
use steadfast_bench_peers::{Job, Mood, Peer, Recorder, Result};

const FILL_BATCH: usize = 1000;

struct River {
    pool: PgPool,
    /// One that only adds.
    client: Client,
}

#[derive(Clone, Debug, Serialize, Deserialize, JobArgs)]
#[river(kind = "noop")]
struct Noop {
    job: Job,
}

impl Peer for River {
    async fn open(url: String) -> Result<Self> {
        let pool = PgPoolOptions::new().max_connections(20).connect(&url).await?;
        PostgresMigrator::new(pool.clone()).migrate_up().await?;
        let client = Client::builder(pool.clone()).allow_unregistered_job_kinds().build()?;
        Ok(Self { pool, client })
    }

    async fn fill(&self, numbers: Range<u32>) -> Result<()> {
        let jobs: Vec<Noop> = numbers.map(|number| Noop { job: Job::now(number) }).collect();
        for some in jobs.chunks(FILL_BATCH) {
            self.client.insert_many(some.to_vec()).await?;
        }
        Ok(())
    }

    async fn add(&self, job: Job) -> Result<()> {
        self.client.insert(Noop { job }).await?;
        Ok(())
    }

    async fn work(&self, recorder: Arc<Recorder>, _: Mood) -> Result<()> {
        let mut workers = Workers::new();
        workers.add_fn(move |_: WorkContext, job: riverqueue::Job<Noop>| {
            let recorder = recorder.clone();
            async move {
                recorder.hit(job.args.job);
                Ok::<_, BoxError>(WorkOutcome::Complete)
            }
        })?;
        let queue = QueueConfig::new(2_000)
            .with_fetch_cooldown(Duration::from_millis(2))
            .with_fetch_poll_interval(Duration::from_millis(20));
        let client = Client::builder(self.pool.clone())
            .workers(workers)
            .fetch_cooldown(Duration::from_millis(2))
            .queue("default", queue)
            .build()?;
        client.start()?.detach();
        Ok(())
    }

    async fn left(&self) -> Result<u64> {
        let (left,): (i64,) = sqlx::query_as("select count(*) from river_job where state <> 'completed'")
            .fetch_one(&self.pool)
            .await?;
        Ok(left.try_into()?)
    }
}

fn main() -> Result<()> {
    steadfast_bench_peers::main::<River>()
}
