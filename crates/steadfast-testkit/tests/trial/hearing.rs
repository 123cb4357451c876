//! Trial 1, the other half: hints that get lost, and hints that are repeated.

use super::{database, size};
use crate::client::{self, STORE};
use crate::cluster::{self, Cluster};
use std::sync::Arc;
use steadfast_testkit::hearing;

#[tokio::test(flavor = "multi_thread")]
async fn hints_that_get_lost_cost_a_sweep() {
    let cluster = Cluster::shared();
    let url = cluster::url(&cluster.address(), &database(&cluster).await);
    hearing::without_hints(STORE, &Arc::new(client::store(&url).await), size(100, 6_000)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hints_that_are_repeated_cost_little() {
    if size(true, false) {
        println!("only with STEADFAST_TRIALS=full: it measures");
        return;
    }
    let cluster = Cluster::shared();
    let open = async || {
        let url = cluster::url(&cluster.address(), &database(&cluster).await);
        Arc::new(client::store(&url).await)
    };
    hearing::with_echoes(STORE, 20_000, open).await;
}
