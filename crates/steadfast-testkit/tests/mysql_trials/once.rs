//! Four workers and many tasks.

use crate::cluster::{self, Cluster};
use crate::trial::witness::Witness;
use crate::trial::{crowd, database, shown, size};

#[tokio::test(flavor = "multi_thread")]
async fn four_workers_run_each_task_once() {
    let cluster = Cluster::shared();
    let name = &database(&cluster).await;
    let url = cluster::url(&cluster.address(), name);
    let witness = Witness::new(cluster.address(), name).await;
    let n = size(2_000, 100_000);
    let (tally, took) = crowd::run(&url, &witness, n).await;
    shown(
        "G2 one valid grant",
        format!("{n} tasks, 4 workers"),
        format!("lost 0, doubled 0, grabs {}, in {took:.0?}", tally.grabs),
        "lost 0, doubled 0",
        true,
    );
}
