//! apalis with apalis-postgres: large batches, woken by NOTIFY and by a short interval beside it.

use apalis::prelude::*;
use apalis_postgres::{Config, PostgresStorage, queries};
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;
use steadfast_bench_peers::{Job, Mood, Peer, Recorder, Result};

const QUEUE: &str = "noop";
const FILL_BATCH: usize = 1000;
const FETCH_BATCH: usize = 500;

struct Apalis {
    pool: PgPool,
}

async fn noop(job: Job, recorder: Data<Arc<Recorder>>) {
    recorder.hit(job);
}

impl Apalis {
    async fn push(&self, jobs: impl Iterator<Item = Job>) -> Result<()> {
        let tasks = jobs.map(|job| Ok(TaskBuilder::new(serde_json::to_vec(&job)?).build()));
        let tasks = tasks.collect::<Result<Vec<_>>>()?;
        queries::push_tasks(&mut *self.pool.acquire().await?, QUEUE, tasks).await?;
        Ok(())
    }
}

impl Peer for Apalis {
    async fn open(url: String) -> Result<Self> {
        let pool = PgPoolOptions::new().max_connections(20).connect(&url).await?;
        PostgresStorage::setup(&pool).await?;
        Ok(Self { pool })
    }

    async fn fill(&self, numbers: Range<u32>) -> Result<()> {
        let numbers: Vec<u32> = numbers.collect();
        for some in numbers.chunks(FILL_BATCH) {
            self.push(some.iter().copied().map(Job::now)).await?;
        }
        Ok(())
    }

    async fn add(&self, job: Job) -> Result<()> {
        self.push(std::iter::once(job)).await
    }

    async fn work(&self, recorder: Arc<Recorder>, _: Mood) -> Result<()> {
        let config = Config::default().queue(QUEUE).batch_size(FETCH_BATCH);
        let backend = PostgresStorage::<Job>::new(&self.pool)
            .with_config(config)
            .with_pubsub()
            .poll_with_interval(Duration::from_millis(50));
        let worker = WorkerBuilder::new("worker").backend(backend).data(recorder).build(noop);
        tokio::spawn(async move { worker.run().await.map_err(|error| eprintln!("{error}")) });
        Ok(())
    }

    async fn left(&self) -> Result<u64> {
        let (left,): (i64,) = sqlx::query_as("select count(*) from apalis.jobs where status <> 'Done'")
            .fetch_one(&self.pool)
            .await?;
        Ok(left.try_into()?)
    }
}

fn main() -> Result<()> {
    steadfast_bench_peers::main::<Apalis>()
}
