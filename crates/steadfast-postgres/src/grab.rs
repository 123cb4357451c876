//! Taking tasks, as far as they are there.

use crate::columns::{column, micros, rows};
use crate::fault::Fallible;
use crate::pool::Pool;
use crate::row::{self, Names};
use crate::sql::Sql;
use std::time::Duration;
use steadfast_core::abort::{self, Point};
use steadfast_core::seam::Grab;
use steadfast_core::{Demand, Lane, Task};
use tokio_postgres::types::Type;

const GRAB: Sql = Sql {
    name: "grab",
    text: include_str!("../sql/grab.sql"),
    types: &[
        Type::INT8,
        Type::UUID,
        Type::TEXT,
        Type::TEXT_ARRAY,
        Type::INT2_ARRAY,
        Type::BOOL_ARRAY,
        Type::INT8_ARRAY,
        Type::INT8_ARRAY,
    ],
};

/// Takes what the demands ask for, in the order of the demands.
///
/// Whether the worker is alive is not asked: a grab that comes after its worker's death is reaped like any
/// other run without a live holder.
pub(crate) async fn grab(pool: &Pool, grab: &Grab) -> Fallible<Vec<Task>> {
    abort::pass(Point::GrabSent);
    let demands = merged(&grab.demands);
    if demands.is_empty() {
        return Ok(Vec::new());
    }
    let found = pool
        .run(
            &GRAB,
            &[
                &pool.now(),
                &grab.worker.uuid(),
                &grab.bucket.as_str(),
                &column(&demands, |(demand, _)| demand.kind.as_str().to_owned()),
                &column(&demands, |(demand, _)| i16::from(demand.priority.get())),
                &column(&demands, |(demand, _)| demand.lane == Lane::Suspect),
                &column(&demands, |(demand, _)| rows(demand.n)),
                &column(&demands, |(_, deadline)| micros(*deadline)),
            ],
        )
        .await?;
    let mut names = Names::default();
    let mut tasks: Vec<(i64, Task)> = Vec::with_capacity(found.len());
    for row in &found {
        tasks.push((row.try_get(row::WIDTH)?, row::read(row, &mut names)?));
    }
    tasks.sort_by_key(|(demand, task)| (*demand, task.ready_at, task.seq));
    Ok(tasks.into_iter().map(|(_, task)| task).collect())
}

/// Two demands for the same would be shown the same rows: they become one.
fn merged(demands: &[(Demand, Duration)]) -> Vec<(Demand, Duration)> {
    let mut merged: Vec<(Demand, Duration)> = Vec::with_capacity(demands.len());
    for (demand, deadline) in demands.iter().filter(|(demand, _)| demand.n > 0) {
        let same = |(other, _): &&mut (Demand, Duration)| Demand { n: other.n, ..demand.clone() } == *other;
        match merged.iter_mut().find(same) {
            Some((other, _)) => other.n = other.n.saturating_add(demand.n),
            None => merged.push((demand.clone(), *deadline)),
        }
    }
    merged
}
