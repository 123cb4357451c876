//! What limits cost on SQLite, in real time. PostgreSQL has the same in its own tests.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;
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
    let (folder, mut n) = (tempfile::tempdir().unwrap(), 0);
    let open = async || {
        n += 1;
        store(&folder, &format!("{n}.db"))
    };
    let ratio = bars::limited_of_free(open).await;
    assert!(ratio >= 0.9, "{ratio:.2}");
}
