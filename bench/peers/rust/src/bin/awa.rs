//! awa: its queue storage, claiming in large batches; COPY where many are added.

use awa::{Client, InsertOpts, JobArgs, JobResult, QueueConfig};
use serde::{Deserialize, Serialize};
use sqlx_08::PgPool;
use sqlx_08::postgres::PgPoolOptions;
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use steadfast_bench_peers::{Job, Mood, Peer, Recorder, Result};
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;

const QUEUE: &str = "noop";

struct Awa {
    pool: PgPool,
    /// A worker ends with its client.
    client: OnceLock<Client>,
}

#[derive(Serialize, Deserialize, JobArgs)]
struct Noop {
    job: Job,
}

fn options() -> InsertOpts {
    InsertOpts { queue: QUEUE.into(), ..InsertOpts::default() }
}

impl Peer for Awa {
    async fn open(url: String) -> Result<Self> {
        let pool = PgPoolOptions::new().max_connections(20).connect(&url).await?;
        // Its future cannot move between threads.
        let (own, runtime) = (pool.clone(), Handle::current());
        spawn_blocking(move || runtime.block_on(awa::awa_model::migrations::run(&own))).await??;
        Ok(Self { pool, client: OnceLock::new() })
    }

    async fn fill(&self, numbers: Range<u32>) -> Result<()> {
        let jobs = numbers
            .map(|number| awa::awa_model::insert::params_with(&Noop { job: Job::now(number) }, options()));
        let jobs = jobs.collect::<std::result::Result<Vec<_>, _>>()?;
        awa::awa_model::insert::insert_many_copy_from_pool(&self.pool, &jobs).await?;
        Ok(())
    }

    async fn add(&self, job: Job) -> Result<()> {
        awa::insert_with(&self.pool, &Noop { job }, options()).await?;
        Ok(())
    }

    async fn work(&self, recorder: Arc<Recorder>, _: Mood) -> Result<()> {
        let queue = QueueConfig {
            max_workers: 256,
            claim_batch_size: 512,
            poll_interval: Duration::from_millis(50),
            ..QueueConfig::default()
        };
        let client = Client::builder(self.pool.clone())
            .queue(QUEUE, queue)
            .register::<Noop, _, _>(move |noop, _| {
                let recorder = recorder.clone();
                async move {
                    recorder.hit(noop.job);
                    Ok(JobResult::Completed)
                }
            })
            .build()?;
        client.start().await?;
        let _ = self.client.set(client);
        Ok(())
    }

    async fn left(&self) -> Result<u64> {
        let (left,): (i64,) = sqlx_08::query_as("select count(*) from awa.jobs where state <> 'completed'")
            .fetch_one(&self.pool)
            .await?;
        Ok(left.try_into()?)
    }
}

fn main() -> Result<()> {
    steadfast_bench_peers::main::<Awa>()
}
