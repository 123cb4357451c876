//! What was waiting and has come due.

use crate::columns::{column, micros, rows, unrows};
use crate::fault::Fallible;
use crate::grab::merged;
use crate::mark::{Line, Mark};
use crate::note::Moved;
use crate::pool::Pool;
use crate::row::Names;
use crate::sql::{Params, Sql};
use crate::{granted, look};
use std::time::Duration;
use steadfast_core::abort::{self, Point};
use steadfast_core::seam::{Due, Grab};
use steadfast_core::{Demand, Lane, Notes};
use tokio_postgres::Row;
use tokio_postgres::types::Type;

const DUE: Sql = Sql {
    name: "due",
    text: include_str!("../sql/due.sql"),
    types: &[
        Type::INT8,
        Type::INT8,
        Type::INT8,
        Type::INT8,
        Type::UUID,
        Type::TEXT,
        Type::TEXT_ARRAY,
        Type::INT2_ARRAY,
        Type::BOOL_ARRAY,
        Type::INT8_ARRAY,
        Type::INT8_ARRAY,
        Type::BOOL,
    ],
};
const NEXT: Sql = Sql { name: "due_next", text: include_str!("../sql/due_next.sql"), types: &[Type::INT8] };
/// Where the statement says which demand a task is granted to, if it is, and its place in the line.
const DEMAND: usize = 0;
const SEQ: usize = 2;
const DUE_AT: usize = 4;
/// Where it says what became ready; what time it is; how many it found.
const READY: usize = 10;
const CLOCK: usize = 15;
const FOUND: usize = 17;

/// Moves up to `n_max` waiting tasks whose time has come: those that are asked for are granted, the others are ready.
///
/// Under limits of the cluster nothing is granted: they are counted by a grab.
pub(crate) async fn due(pool: &Pool, n_max: usize, grab: Option<&Grab>) -> Fallible<Due> {
    let grab = grab.filter(|grab| grab.under.is_none());
    let demands = grab.map_or_else(Vec::new, |grab| merged(&grab.demands));
    let began = pool.marks.begin(&Line::Due);
    if grab.is_some() {
        abort::pass(Point::GrabSent);
    }
    let found = ask(pool, n_max, began, grab, &demands).await?;
    let Some((clock, moved)) = found.split_last() else { return Ok(Due::default()) };
    let mut last = began;
    for row in moved {
        last = last.max(Mark { at: row.try_get(DUE_AT)?, seq: row.try_get(SEQ)? });
    }
    pool.marks.reach(Line::Due, began, last, clock.try_get(CLOCK)?);
    let is_granted = |row: &Row| row.try_get::<_, Option<i64>>(DEMAND).is_ok_and(|demand| demand.is_some());
    let (granted, ready): (Vec<&Row>, Vec<&Row>) = moved.iter().partition(|row| is_granted(row));
    let (mut notes, mut names) = (Notes::default(), Names::default());
    for row in ready {
        let task = Moved::read(row, READY, &mut names)?;
        // The claim's order is when it was due, not when a sweep noticed.
        notes.add(&task.bucket, task.kind, task.priority, task.due_at, task.lane);
    }
    let granted = grab.map(|grab| granted::read_all(&pool.places, grab, &demands, granted));
    let picked = unrows(clock.try_get(FOUND)?);
    let next_in = if picked < n_max && picked == moved.len() {
        look::due_in(clock, CLOCK)?
    } else {
        // There are more whose time has come, or may be. What was granted is the caller's, whatever comes of this.
        let next = pool.read(&NEXT, &[&pool.now()]).await.unwrap_or_default();
        next.first().map_or(Ok(Some(Duration::ZERO)), |row| look::due_in(row, 0))?
    };
    Ok(Due { notes: notes.by_bucket(), granted: granted.transpose()?.unwrap_or_default(), next_in })
}

async fn ask(
    pool: &Pool,
    n_max: usize,
    began: Mark,
    grab: Option<&Grab>,
    demands: &[(Demand, Duration)],
) -> Fallible<Vec<Row>> {
    let kinds: Vec<&str> = demands.iter().map(|(demand, _)| demand.kind.as_str()).collect();
    let given: Params<'_> = &[
        &pool.now(),
        &rows(n_max),
        &began.at,
        &began.seq,
        &grab.map(|grab| grab.worker.uuid()),
        &grab.map(|grab| grab.bucket.as_str()),
        &kinds,
        &column(demands, |(demand, _)| i16::from(demand.priority.get())),
        &column(demands, |(demand, _)| demand.lane == Lane::Suspect),
        &column(demands, |(demand, _)| rows(demand.n)),
        &column(demands, |(_, deadline)| micros(*deadline)),
        &grab.is_some_and(|grab| grab.durable),
    ];
    pool.run(&DUE, given).await
}
