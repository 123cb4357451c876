//! Trial 7: one serial key, many who add to it.

use super::{database, shown, size};
use crate::cluster::{self, Cluster};
use std::time::Instant;

#[tokio::test(flavor = "multi_thread")]
async fn a_serial_key_under_many_adders_keeps_its_order() {
    let cluster = Cluster::shared();
    let url = cluster::url(&cluster.address(), &database(&cluster).await);
    let (n, began) = (size(500, 10_000), Instant::now());
    let builders = [steadfast::connect(&url).await.unwrap(), steadfast::connect(&url).await.unwrap()];
    steadfast_testkit::serial_load(builders, n).await;
    shown(
        "G8 order",
        format!("{n} tasks of one serial key from 16 adders"),
        format!("in order, none left, in {:.1?}", began.elapsed()),
        "in order, none left",
        true,
    );
}
