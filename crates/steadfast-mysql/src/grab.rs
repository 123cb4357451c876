//! Taking tasks, as far as they are there.

use crate::cells::only;
use crate::columns::{hex, hex_id, id, list, rows};
use crate::db::Db;
use crate::fault::Fallible;
use crate::pool::Pool;
use crate::row;
use crate::sql::{Params, Sql, params};
use crate::transaction::Tx;
use serde_json::json;
use std::time::Duration;
use steadfast_core::abort::{self, Point};
use steadfast_core::seam::Grab;
use steadfast_core::{ClusterPath, Demand, Lane, Task};

const GRAB: Sql = Sql(include_str!("../sql/grab.sql"));
const TAKE: Sql = Sql(include_str!("../sql/grab_take.sql"));
const LIMIT_MAKE: Sql = Sql(include_str!("../sql/limit_make.sql"));
const LIMIT_LOCK: Sql = Sql(include_str!("../sql/limit_lock.sql"));
const LIMIT_COUNT: Sql = Sql(include_str!("../sql/limit_count.sql"));

/// Takes what the demands ask for, in the order of the demands.
///
/// Whether the worker is alive is not asked: a grab that comes after its worker's death is reaped like any
/// other run without a live holder.
pub(crate) async fn grab(pool: &Pool, grab: &Grab) -> Fallible<Vec<Task>> {
    let demands = merged(&grab.demands);
    if demands.is_empty() {
        return Ok(Vec::new());
    }
    let mut tx = pool.begin().await?;
    let result = all(&mut tx, grab, &demands).await;
    tx.end(result).await
}

async fn all(tx: &mut Tx, grab: &Grab, demands: &[(Demand, Duration)]) -> Fallible<Vec<Task>> {
    let db = &mut tx.db();
    let mut room = match &grab.under {
        Some(under) => {
            lock(db, under).await?;
            abort::pass(Point::LimitLocked);
            count(db, under).await?
        }
        None => usize::MAX,
    };
    let (mut taken, mut deadlines) = (Vec::new(), Vec::new());
    for (demand, deadline) in demands {
        let n = demand.n.min(room);
        if n == 0 {
            continue;
        }
        let mut found = pick(db, grab, demand, n).await?;
        room -= found.len();
        deadlines.resize(deadlines.len() + found.len(), *deadline);
        taken.append(&mut found);
    }
    take(db, grab, &mut taken, &deadlines).await?;
    abort::pass(Point::GrabSent);
    Ok(taken)
}

/// Locks limits of the cluster. What is counted under them comes after the lock, with a snapshot that is younger.
async fn lock(db: &mut Db<'_>, under: &ClusterPath) -> Fallible<()> {
    let names: Vec<&str> = under.limits().map(|(name, _)| name).collect();
    let given = list(&names, |name| hex(name).into());
    while db.query(&LIMIT_LOCK, params![given.clone()]).await?.len() < names.len() {
        let rows: Vec<Params> = names.iter().map(|name| params![*name]).collect();
        db.insert(&LIMIT_MAKE, &rows, &Params::new()).await?;
    }
    Ok(())
}

/// How many more may run under all of these limits.
async fn count(db: &mut Db<'_>, under: &ClusterPath) -> Fallible<usize> {
    let mut room = usize::MAX;
    for (name, size) in under.limits() {
        let given = params![name, ClusterPath::end(name), i64::from(size)];
        let running = only(&db.query(&LIMIT_COUNT, given).await?)?.count(0)?;
        room = room.min(usize::try_from(size.saturating_sub(running)).unwrap_or(usize::MAX));
    }
    Ok(room)
}

/// Locks the first tasks of a demand.
async fn pick(db: &mut Db<'_>, grab: &Grab, demand: &Demand, n: usize) -> Fallible<Vec<Task>> {
    let given = params![
        grab.bucket.as_str(),
        demand.kind.as_str(),
        demand.priority.get(),
        u8::from(demand.lane == Lane::Suspect),
        grab.bucket.as_str(),
        rows(n),
    ];
    row::read_all(&db.query(&GRAB, given).await?)
}

/// Gives tasks to the worker.
async fn take(db: &mut Db<'_>, grab: &Grab, tasks: &mut [Task], deadlines: &[Duration]) -> Fallible<()> {
    if tasks.is_empty() {
        return Ok(());
    }
    let now = db.now;
    let row =
        |(task, deadline): (&Task, &Duration)| json!([hex_id(task.id.uuid()), now.after(*deadline).micros()]);
    let mut given: Vec<(&Task, &Duration)> = tasks.iter().zip(deadlines).collect();
    given.sort_unstable_by_key(|(task, _)| task.id);
    let limited = grab.under.as_ref().map(ClusterPath::leaf);
    let given = params![list(given, row), id(grab.worker.uuid()), now.micros(), limited];
    db.execute(&TAKE, given).await?;
    for (task, deadline) in tasks.iter_mut().zip(deadlines) {
        task.granted(grab.worker, *deadline, now);
    }
    Ok(())
}

/// Two demands for the same would be shown the same rows, as the first changes none of them yet: they become one.
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
