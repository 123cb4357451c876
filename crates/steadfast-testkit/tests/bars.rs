//! What limits cost on SQLite, in real time. PostgreSQL has the same in its own tests.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;
use std::time::Duration;
use steadfast_sqlite::{Options, SqliteStore};
use steadfast_testkit::bars;

fn store(folder: &tempfile::TempDir, name: &str) -> Arc<SqliteStore> {
    Arc::new(SqliteStore::open(folder.path().join(name), Options::default()).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_tasks_behind_ten_thousand_of_a_slow_partner_take_hardly_longer() {
    let folder = tempfile::tempdir().unwrap();
    let alone = bars::ten_of_a_partner(&store(&folder, "alone.db"), false).await;
    let behind = bars::ten_of_a_partner(&store(&folder, "behind.db"), true).await;
    println!("alone {alone:?}, behind {behind:?}");
    assert!(behind < 2 * alone, "alone {alone:?}, behind {behind:?}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures: run it in release, alone"]
async fn a_cluster_limit_that_is_never_reached_costs_less_than_a_tenth() {
    let folder = tempfile::tempdir().unwrap();
    let (mut free, mut limited) = (Duration::MAX, Duration::MAX);
    for round in 0..3 {
        let name = |what: &str| format!("{what}{round}.db");
        free = free.min(bars::drain(&store(&folder, &name("free")), false, 20_000).await);
        limited = limited.min(bars::drain(&store(&folder, &name("limited")), true, 20_000).await);
    }
    println!("free {free:?}, limited {limited:?}: {:.2}", free.as_secs_f64() / limited.as_secs_f64());
    assert!(free.as_secs_f64() >= 0.9 * limited.as_secs_f64(), "free {free:?}, limited {limited:?}");
}
