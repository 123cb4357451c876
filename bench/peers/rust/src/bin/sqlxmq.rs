//! sqlxmq: many jobs at once, fetched in batches by its minimum concurrency.

use sqlx_08::PgPool;
use sqlx_08::migrate::Migrator;
use sqlx_08::postgres::PgPoolOptions;
use sqlxmq::{CurrentJob, JobRegistry, JobRunnerHandle, job};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use steadfast_bench_peers::{Error, Job, Mood, Peer, Recorder, Result};

/// As many jobs run at once as one fetch brings, and the next one is made when half of them are done.
const CONCURRENCY: (usize, usize) = (50, 100);

struct Sqlxmq {
    pool: PgPool,
    /// A worker ends with its handle.
    running: OnceLock<JobRunnerHandle>,
}

#[job(channel_name = "noop")]
async fn noop(mut current: CurrentJob, recorder: Arc<Recorder>) -> std::result::Result<(), Error> {
    let job: Job = current.json()?.ok_or("a job without a payload")?;
    recorder.hit(job);
    current.complete().await?;
    Ok(())
}

/// Its own, which its users copy; the build has put them beside the programs.
fn migrations() -> Result<PathBuf> {
    let program = std::env::current_exe()?;
    let folder = program.ancestors().nth(2).ok_or("the program has no folder")?;
    Ok(folder.join("sqlxmq"))
}

impl Peer for Sqlxmq {
    async fn open(url: String) -> Result<Self> {
        let pool = PgPoolOptions::new().max_connections(20).connect(&url).await?;
        Migrator::new(migrations()?).await?.run(&pool).await?;
        Ok(Self { pool, running: OnceLock::new() })
    }

    /// It has no way to add many: in one transaction at least.
    async fn fill(&self, numbers: Range<u32>) -> Result<()> {
        let mut transaction = self.pool.begin().await?;
        for number in numbers {
            noop.builder().set_json(&Job::now(number))?.spawn(&mut *transaction).await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    async fn add(&self, job: Job) -> Result<()> {
        noop.builder().set_json(&job)?.spawn(&self.pool).await?;
        Ok(())
    }

    async fn work(&self, recorder: Arc<Recorder>, _: Mood) -> Result<()> {
        let mut registry = JobRegistry::new(&[noop]);
        registry.set_context(recorder);
        let runner = registry.runner(&self.pool).set_concurrency(CONCURRENCY.0, CONCURRENCY.1).run().await?;
        let _ = self.running.set(runner);
        Ok(())
    }

    async fn left(&self) -> Result<u64> {
        // One row is there always.
        let (left,): (i64,) = sqlx_08::query_as("select count(*) from mq_msgs where id <> uuid_nil()")
            .fetch_one(&self.pool)
            .await?;
        Ok(left.try_into()?)
    }
}

fn main() -> Result<()> {
    steadfast_bench_peers::main::<Sqlxmq>()
}
