//! Nobody starves behind a crowd that cannot be served.

use crate::calls;
use crate::cluster::{self, Cluster};
use crate::trial::{database, shown, size};
use std::time::Duration;
use steadfast_testkit::bars::ten_of_a_partner;

const TIMES_MAX: f64 = 2.0;
/// What is no time at all on a busy machine.
const NO_TIME: Duration = Duration::from_millis(700);

#[tokio::test(flavor = "multi_thread")]
async fn ten_tasks_behind_ten_thousand_of_a_slow_partner_take_hardly_longer() {
    let cluster = Cluster::new();
    let store = calls::open(&cluster::url(&cluster.address(), &database(&cluster).await)).await;
    let alone = ten_of_a_partner(&store, false).await;
    let behind = ten_of_a_partner(&store, true).await;
    let bar = alone.mul_f64(TIMES_MAX).max(size(NO_TIME * 4, NO_TIME));
    shown(
        "G8 order",
        "10 tasks of a partner behind 10000 of one that does not answer, 3 of each at once".to_owned(),
        format!("done in {behind:.1?}, alone in {alone:.1?}"),
        format!("{bar:.1?}"),
        behind <= bar,
    );
}
