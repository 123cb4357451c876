//! What a task costs a PostgreSQL server, counted: statements, buffers, bytes of its log.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says so by panicking")]

mod common;

use common::{Schema, connect, tracked_url};
use std::sync::Arc;
use steadfast_postgres::PgStore;
use steadfast_testkit::cost::{self, Bounds, Count, Figures, Load};

const FIGURES: Figures = ["statements", "buffers", "bytes of the log"];
const BOUNDS: [(Load, Bounds<3>); 4] = [
    (Load::Lone, Bounds([2.11, 11.0, 700.0])),
    (Load::Crowd, Bounds([0.043, 8.6, 475.0])),
    (Load::Backlog, Bounds([0.056, 13.8, 500.0])),
    (Load::Kept, Bounds([0.056, 19.0, 840.0])),
];

const COUNTED: &str = "
    select
        coalesce(sum(calls), 0)::bigint,
        coalesce(sum(shared_blks_hit + shared_blks_read), 0)::bigint,
        coalesce(sum(wal_bytes), 0)::bigint
    from public.pg_stat_statements";

#[tokio::test]
async fn a_task_costs_no_more_than_its_bounds() {
    let mine = connect().await;
    let extension = "create extension if not exists pg_stat_statements schema public";
    mine.batch_execute(extension).await.expect("pg_stat_statements is installed");
    // The next one by time is minutes away: after one, whole pages go to the log that were changed before it.
    mine.batch_execute("checkpoint").await.unwrap();
    let mut schemas = Vec::new();
    let open = async || {
        let schema = Schema::new();
        let store = PgStore::open(&tracked_url(), schema.options()).await.unwrap();
        schemas.push(schema);
        Arc::new(store)
    };
    let count = async |_: &PgStore| {
        let row = mine.query_one(COUNTED, &[]).await.unwrap();
        Count([0, 1, 2].map(|at| u64::try_from(row.get::<_, i64>(at)).unwrap()))
    };
    cost::hold("postgres", FIGURES, &BOUNDS, open, count).await;
}
