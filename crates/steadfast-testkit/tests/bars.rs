//! What limits and odd hints cost on SQLite, in real time. PostgreSQL has the same in its own tests.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;
use steadfast_sqlite::{Options, SqliteStore};
use steadfast_testkit::{Shown, bars, hearing};

fn store(folder: &tempfile::TempDir, name: &str) -> Arc<SqliteStore> {
    Arc::new(SqliteStore::open(folder.path().join(name), Options::default()).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_tasks_behind_ten_thousand_of_a_slow_partner_take_hardly_longer() {
    let folder = tempfile::tempdir().unwrap();
    let alone = bars::ten_of_a_partner(&store(&folder, "alone.db"), false).await;
    let behind = bars::ten_of_a_partner(&store(&folder, "behind.db"), true).await;
    Shown {
        promise: "G8 order",
        store: "sqlite",
        done: "10 tasks of a partner behind 10,000 of another that does not answer".into(),
        seen: format!("done after {behind:.0?}, alone after {alone:.0?}"),
        bar: "twice as long".into(),
        ok: behind < 2 * alone,
    }
    .hold();
}

#[tokio::test(flavor = "multi_thread")]
async fn hints_that_get_lost_cost_a_sweep() {
    let folder = tempfile::tempdir().unwrap();
    hearing::without_hints("sqlite", &store(&folder, "deaf.db"), size(100, 6_000)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hints_that_are_repeated_cost_little() {
    if size(true, false) {
        println!("only with STEADFAST_TRIALS=full: it measures");
        return;
    }
    let (folder, mut n) = (tempfile::tempdir().unwrap(), 0);
    let open = async || {
        n += 1;
        store(&folder, &format!("{n}.db"))
    };
    hearing::with_echoes("sqlite", 20_000, open).await;
}

/// The longer of two sizes if all is to be played.
fn size<T>(sample: T, full: T) -> T {
    if std::env::var("STEADFAST_TRIALS").is_ok_and(|size| size == "full") { full } else { sample }
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
