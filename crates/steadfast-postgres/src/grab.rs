//! Taking tasks, as far as they are there.

use crate::columns::{column, micros, only, rows, unrows};
use crate::fault::Fallible;
use crate::pool::Pool;
use crate::row::{self, Names};
use crate::sql::Sql;
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
    ],
};

const LIMIT_MAKE: Sql =
    Sql { name: "limit_make", text: include_str!("../sql/limit_make.sql"), types: &[Type::TEXT_ARRAY] };
const LIMIT_LOCK: Sql =
    Sql { name: "limit_lock", text: include_str!("../sql/limit_lock.sql"), types: &[Type::TEXT_ARRAY] };
const LIMIT_COUNT: Sql = Sql {
    name: "limit_count",
    text: include_str!("../sql/limit_count.sql"),
    types: &[Type::TEXT_ARRAY, Type::TEXT_ARRAY, Type::INT8_ARRAY],
};

/// Takes what the demands ask for, in the order of the demands.
///
/// Whether the worker is alive is not asked: a grab that comes after its worker's death is reaped like any
/// other run without a live holder.
pub(crate) async fn grab(pool: &Pool, grab: &Grab) -> Fallible<Vec<Task>> {
    let demands = merged(&grab.demands);
    if demands.is_empty() {
        return Ok(Vec::new());
    }
    let Some(under) = &grab.under else {
        let lot = Lot::new(pool.now(), grab, &demands, None);
        abort::pass(Point::GrabSent);
        return read(&pool.run(&GRAB, &lot.params()).await?);
    };
    let mut tx = pool.begin().await?;
    let result = grab_under(&mut tx, grab, under, demands).await;
    tx.end(result).await
}

/// Locks the limits, counts with a snapshot that is younger than the lock, and takes what is left.
async fn grab_under(
    tx: &mut Tx,
    grab: &Grab,
    under: &ClusterPath,
    mut demands: Vec<(Demand, Duration)>,
) -> Fallible<Vec<Task>> {
    let names: Vec<&str> = under.limits().map(|(name, _)| name).collect();
    while tx.query(&LIMIT_LOCK, &[&names]).await?.len() < names.len() {
        tx.query(&LIMIT_MAKE, &[&names]).await?;
    }
    abort::pass(Point::LimitLocked);
    let until: Vec<String> = names.iter().map(|name| ClusterPath::end(name)).collect();
    let sizes: Vec<i64> = under.limits().map(|(_, size)| i64::from(size)).collect();
    let room: i64 = only(&tx.query(&LIMIT_COUNT, &[&names, &until, &sizes]).await?)?;
    let mut room = unrows(room);
    for (demand, _) in &mut demands {
        demand.n = demand.n.min(room);
        room -= demand.n;
    }
    demands.retain(|(demand, _)| demand.n > 0);
    if demands.is_empty() {
        return Ok(Vec::new());
    }
    let lot = Lot::new(tx.now(), grab, &demands, Some(under.leaf()));
    let rows = tx.query(&GRAB, &lot.params()).await?;
    abort::pass(Point::GrabSent);
    read(&rows)
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
}

impl<'a> Lot<'a> {
    fn new(
        now: Option<i64>,
        grab: &'a Grab,
        demands: &'a [(Demand, Duration)],
        limited: Option<&'a str>,
    ) -> Self {
        Self {
            now,
            worker: grab.worker.uuid(),
            bucket: grab.bucket.as_str(),
            kinds: demands.iter().map(|(demand, _)| demand.kind.as_str()).collect(),
            priorities: column(demands, |(demand, _)| i16::from(demand.priority.get())),
            suspects: column(demands, |(demand, _)| demand.lane == Lane::Suspect),
            rows: column(demands, |(demand, _)| rows(demand.n)),
            deadlines: column(demands, |(_, deadline)| micros(*deadline)),
            limited,
            durable: grab.durable,
        }
    }

    fn params(&self) -> [&(dyn ToSql + Sync); 10] {
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
        ]
    }
}

fn read(found: &[Row]) -> Fallible<Vec<Task>> {
    let mut names = Names::default();
    let mut tasks: Vec<(i64, Task)> = Vec::with_capacity(found.len());
    for row in found {
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
