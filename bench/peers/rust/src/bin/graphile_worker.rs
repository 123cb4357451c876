//! graphile_worker: its own throughput bench's settings, and its defaults where latency counts.

use graphile_worker::{
    IntoTaskHandlerResult, JobSpec, LocalQueueConfig, RawJobSpec, TaskHandler, WorkerContext, WorkerOptions,
    WorkerUtils,
};
use serde::{Deserialize, Serialize};
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;
use steadfast_bench_peers::{Job, Mood, Peer, Recorder, Result};

const SCHEMA: &str = "graphile_worker";
const FILL_BATCH: usize = 1000;

struct GraphileWorker {
    pool: PgPool,
    utils: WorkerUtils,
}

#[derive(Serialize, Deserialize)]
struct Noop(Job);

#[derive(Clone)]
struct Shared(Arc<Recorder>);

impl fmt::Debug for Shared {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Shared")
    }
}

impl TaskHandler for Noop {
    const IDENTIFIER: &'static str = "noop";

    async fn run(self, context: WorkerContext) -> impl IntoTaskHandlerResult {
        let Shared(recorder) = context.get_ext::<Shared>().ok_or("no recorder")?;
        recorder.hit(self.0);
        Ok::<(), String>(())
    }
}

impl Peer for GraphileWorker {
    async fn open(url: String) -> Result<Self> {
        let pool = PgPoolOptions::new().max_connections(20).connect(&url).await?;
        let utils = WorkerUtils::new(pool.clone(), SCHEMA);
        utils.migrate().await?;
        Ok(Self { pool, utils })
    }

    async fn fill(&self, numbers: Range<u32>) -> Result<()> {
        let jobs: Vec<RawJobSpec> = numbers
            .map(|number| RawJobSpec {
                identifier: Noop::IDENTIFIER.to_owned(),
                payload: serde_json::json!(Job::now(number)),
                spec: JobSpec::default(),
            })
            .collect();
        for some in jobs.chunks(FILL_BATCH) {
            self.utils.add_raw_jobs(some).await?;
        }
        Ok(())
    }

    async fn add(&self, job: Job) -> Result<()> {
        self.utils.add_job(Noop(job), JobSpec::default()).await?;
        Ok(())
    }

    async fn work(&self, recorder: Arc<Recorder>, mood: Mood) -> Result<()> {
        let options = WorkerOptions::default()
            .pg_pool(self.pool.clone())
            .schema(SCHEMA)
            .listen_os_shutdown_signals(false)
            .add_extension(Shared(recorder))
            .define_job::<Noop>();
        let options = match mood {
            Mood::Throughput => options
                .concurrency(500)
                .poll_interval(Duration::from_millis(5))
                .complete_job_batch_delay(Duration::from_millis(5))
                .local_queue(LocalQueueConfig::default().with_size(5000)),
            Mood::Latency => options.concurrency(10),
        };
        let worker = options.init().await?;
        tokio::spawn(async move { worker.run().await.map_err(|error| eprintln!("{error}")) });
        Ok(())
    }

    async fn left(&self) -> Result<u64> {
        let (left,): (i64,) = sqlx::query_as("select count(*) from graphile_worker._private_jobs")
            .fetch_one(&self.pool)
            .await?;
        Ok(left.try_into()?)
    }
}

fn main() -> Result<()> {
    steadfast_bench_peers::main::<GraphileWorker>()
}
