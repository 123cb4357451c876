//! Taking tasks, as far as they are there.

use crate::columns::{column, micros, rows};
use crate::fault::Fallible;
use crate::grab_alike::{Alike, GRAB_ALIKE};
use crate::granted;
use crate::in_line::{IN_LINE_MIN, run_in_line};
use crate::mark::{Line, Mark};
use crate::pool::Pool;
use crate::sql::{Params, Sql};
use crate::transaction::Tx;
use std::time::Duration;
use steadfast_core::abort::{self, Point};
use steadfast_core::seam::Grab;
use steadfast_core::{ClusterPath, Demand, Lane, Task};
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};
use uuid::Uuid;

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
        Type::TEXT,
        Type::BOOL,
        Type::TEXT_ARRAY,
        Type::TEXT_ARRAY,
        Type::INT8_ARRAY,
        Type::INT8_ARRAY,
        Type::INT8_ARRAY,
    ],
};

const LIMIT_MAKE: Sql =
    Sql { name: "limit_make", text: include_str!("../sql/limit_make.sql"), types: &[Type::TEXT_ARRAY] };
const LIMIT_LOCK: Sql =
    Sql { name: "limit_lock", text: include_str!("../sql/limit_lock.sql"), types: &[Type::TEXT_ARRAY] };
/// Takes what the demands ask for, in the order of the demands.
///
/// Whether the worker is alive is not asked: a grab that comes after its worker's death is reaped like any
/// other run without a live holder.
pub(crate) async fn grab(pool: &Pool, grab: &Grab) -> Fallible<Vec<Task>> {
    let demands = merged(&grab.demands);
    if demands.is_empty() {
        return Ok(Vec::new());
    }
    let Some(under) = &grab.under else { return grab_behind_marks(pool, grab, demands).await };
    let heads = vec![Mark::HEAD; demands.len()];
    let lot = Lot::new(pool.now(), grab, &demands, &heads);
    let mut tx = pool.begin().await?;
    match lock(&mut tx, under).await {
        Ok(()) => {
            abort::pass(Point::LimitLocked);
            abort::pass(Point::GrabSent);
            let rows = tx.last(&GRAB, &lot.params()).await?;
            granted::read_all(&pool.places, grab, &demands, &rows)
        }
        failed => tx.end(failed.map(|()| Vec::new())).await,
    }
}

/// Takes what lies behind the marks, and what is missing then from the head.
async fn grab_behind_marks(
    pool: &Pool,
    grab: &Grab,
    mut demands: Vec<(Demand, Duration)>,
) -> Fallible<Vec<Task>> {
    let lines: Vec<Line> = demands.iter().map(|(demand, _)| Line::of(&grab.bucket, demand)).collect();
    let began: Vec<Mark> = lines.iter().map(|line| pool.marks.begin(line)).collect();
    let mut tasks = take(pool, grab, &demands, &began).await?;
    let mut rest = tasks.as_slice();
    for (((demand, _), line), began) in demands.iter_mut().zip(lines).zip(began) {
        let (own, others) = rest.split_at(rest.iter().take_while(|task| demand.is_for(task)).count());
        rest = others;
        let missing = demand.n.saturating_sub(own.len());
        // From the head there is nothing more to find.
        demand.n = if began == Mark::HEAD { 0 } else { missing };
        if demand.n > 0 {
            pool.marks.forget(&line);
        } else if let Some(last) = own.last() {
            pool.marks.reach(line, began, Mark::of(last), last.changed_at.micros());
        }
    }
    demands.retain(|(demand, _)| demand.n > 0);
    if !demands.is_empty() {
        let heads = vec![Mark::HEAD; demands.len()];
        // What was taken before is the caller's, whatever comes of this.
        let before = take(pool, grab, &demands, &heads).await.unwrap_or_default();
        tasks = before.into_iter().chain(tasks).collect();
    }
    Ok(tasks)
}

/// Takes what lies behind these marks.
async fn take(
    pool: &Pool,
    grab: &Grab,
    demands: &[(Demand, Duration)],
    marks: &[Mark],
) -> Fallible<Vec<Task>> {
    abort::pass(Point::GrabSent);
    let rows = match Alike::new(pool.now(), grab, demands, marks) {
        Some(alike) => run(pool, grab, demands, &GRAB_ALIKE, &alike.params()).await?,
        None => run(pool, grab, demands, &GRAB, &Lot::new(pool.now(), grab, demands, marks).params()).await?,
    };
    granted::read_all(&pool.places, grab, demands, &rows)
}

/// Runs the statement of a grab: of a large one when it is its turn.
async fn run(
    pool: &Pool,
    grab: &Grab,
    demands: &[(Demand, Duration)],
    sql: &Sql,
    params: Params<'_>,
) -> Fallible<Vec<Row>> {
    let wanted = demands.iter().fold(0_usize, |wanted, (demand, _)| wanted.saturating_add(demand.n));
    if wanted < IN_LINE_MIN {
        pool.run(sql, params).await
    } else {
        run_in_line(pool, &grab.bucket, sql, params).await
    }
}

/// Locks limits of the cluster. The grab that counts under them has a snapshot that is younger than the lock.
async fn lock(tx: &mut Tx, under: &ClusterPath) -> Fallible<()> {
    let names: Vec<&str> = under.limits().map(|(name, _)| name).collect();
    while tx.query(&LIMIT_LOCK, &[&names]).await?.len() < names.len() {
        tx.query(&LIMIT_MAKE, &[&names]).await?;
    }
    Ok(())
}

/// What a grab is given.
struct Lot<'a> {
    now: Option<i64>,
    worker: Uuid,
    bucket: &'a str,
    kinds: Vec<&'a str>,
    priorities: Vec<i16>,
    suspects: Vec<bool>,
    rows: Vec<i64>,
    deadlines: Vec<i64>,
    limited: Option<&'a str>,
    durable: bool,
    limits: Vec<&'a str>,
    /// The first names after those that begin with the limits'.
    until: Vec<String>,
    sizes: Vec<i64>,
    after_at: Vec<i64>,
    after_seq: Vec<i64>,
}

impl<'a> Lot<'a> {
    fn new(now: Option<i64>, grab: &'a Grab, demands: &'a [(Demand, Duration)], marks: &[Mark]) -> Self {
        let limits = || grab.under.iter().flat_map(ClusterPath::limits);
        Self {
            now,
            worker: grab.worker.uuid(),
            bucket: grab.bucket.as_str(),
            kinds: demands.iter().map(|(demand, _)| demand.kind.as_str()).collect(),
            priorities: column(demands, |(demand, _)| i16::from(demand.priority.get())),
            suspects: column(demands, |(demand, _)| demand.lane == Lane::Suspect),
            rows: column(demands, |(demand, _)| rows(demand.n)),
            deadlines: column(demands, |(_, deadline)| micros(*deadline)),
            limited: grab.under.as_ref().map(ClusterPath::leaf),
            durable: grab.durable,
            limits: limits().map(|(name, _)| name).collect(),
            until: limits().map(|(name, _)| ClusterPath::end(name)).collect(),
            sizes: limits().map(|(_, size)| i64::from(size)).collect(),
            after_at: column(marks, |mark| mark.at),
            after_seq: column(marks, |mark| mark.seq),
        }
    }

    fn params(&self) -> [&(dyn ToSql + Sync); 15] {
        [
            &self.now,
            &self.worker,
            &self.bucket,
            &self.kinds,
            &self.priorities,
            &self.suspects,
            &self.rows,
            &self.deadlines,
            &self.limited,
            &self.durable,
            &self.limits,
            &self.until,
            &self.sizes,
            &self.after_at,
            &self.after_seq,
        ]
    }
}

/// Two demands for the same would be shown the same rows: they become one.
pub(crate) fn merged(demands: &[(Demand, Duration)]) -> Vec<(Demand, Duration)> {
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
