//! One task that is taken alone, as in a service that is not busy.
//!
//! The statement for many takes arrays apart and counts what runs under limits. For one task of a kind without any,
//! getting ready for that takes longer than the grab itself.

use crate::columns::micros;
use crate::fault::Fallible;
use crate::granted;
use crate::mark::Mark;
use crate::pool::Pool;
use crate::sql::{Params, Sql};
use std::time::Duration;
use steadfast_core::seam::Grab;
use steadfast_core::{Demand, Lane, Task};
use tokio_postgres::types::Type;

pub(crate) const GRAB_ALONE: Sql = Sql {
    name: "grab_alone",
    text: include_str!("../sql/grab_alone.sql"),
    types: &[
        Type::INT8,
        Type::UUID,
        Type::TEXT,
        Type::TEXT,
        Type::INT2,
        Type::BOOL,
        Type::BOOL,
        Type::INT8,
        Type::INT8,
        Type::INT8,
    ],
};

/// The one demand of a grab, if it is for one task under no limit.
pub(crate) fn alone<'a>(grab: &Grab, demands: &'a [(Demand, Duration)]) -> Option<&'a (Demand, Duration)> {
    match demands {
        [only] if only.0.n == 1 && grab.under.is_none() => Some(only),
        _ => None,
    }
}

/// Takes it, if it lies behind the mark.
pub(crate) async fn grab_alone(
    pool: &Pool,
    grab: &Grab,
    only: &(Demand, Duration),
    mark: Mark,
) -> Fallible<Vec<Task>> {
    let (demand, deadline) = only;
    let given: Params<'_> = &[
        &pool.now(),
        &grab.worker.uuid(),
        &grab.bucket.as_str(),
        &demand.kind.as_str(),
        &i16::from(demand.priority.get()),
        &(demand.lane == Lane::Suspect),
        &grab.durable,
        &micros(*deadline),
        &mark.at,
        &mark.seq,
    ];
    let rows = pool.run(&GRAB_ALONE, given).await?;
    granted::read_all(&pool.places, grab, std::slice::from_ref(only), &rows)
}
