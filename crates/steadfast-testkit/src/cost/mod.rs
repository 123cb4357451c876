//! What a task costs, counted and never timed: a bound that holds on a busy machine as on an idle one.
//!
//! Each store counts in its own `tests/cost.rs` what its database does for the loads here; `tests/instructions.rs` counts
//! what the processor does for the engine. A bound lies a little above what was seen when it was written. Who comes to
//! lie above it has made every task dearer: either that can be undone, or the bound is raised in the change that says
//! what was bought for it.

mod count;
mod load;
mod still;
mod told;

pub use count::{Bounds, Count};
pub use load::Load;

use std::sync::Arc;
use steadfast_core::Store;

/// What is counted for a database, in the order of all bounds.
pub type Figures = [&'static str; 3];

/// Puts every load on a store that is made for it and holds what a task costs there to the load's bounds.
///
/// `open` brings a store that nobody else uses, `count` says what its database has done since it was made. All that the
/// database does counts, so nobody else may use it meanwhile.
///
/// # Panics
/// Panics if a task costs more than its bound; the text names every such figure and says where to look.
pub async fn hold<S: Store>(
    store: &str,
    figures: Figures,
    bounds: &[(Load, Bounds<3>)],
    mut open: impl AsyncFnMut() -> Arc<S>,
    mut count: impl AsyncFnMut(&S) -> Count<3>,
) {
    let mut faults = Vec::new();
    for (load, bounds) in bounds {
        let opened = open().await;
        let (n, mut before) = (load.n(), None);
        load.run(&opened, n, async || before = Some(count(&opened).await)).await;
        let before = before.expect("every load begins");
        let each = count(&opened).await.since(before).each(n);
        faults.extend(bounds.faults(&format!("{store}, {load}"), figures, each));
    }
    assert!(faults.is_empty(), "{}", faults.concat());
}
