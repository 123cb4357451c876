//! Workers: their leases, what was taken from them, and what they hold.

use crate::cells::{Cells, only};
use crate::columns::{hex_id, id, list, micros};
use crate::db::Db;
use crate::fault::{Fallible, Fault};
use crate::pool::{Loan, Pool};
use crate::row;
use crate::sql::{Params, Sql, params};
use serde_json::json;
use steadfast_core::abort::{self, Point};
use steadfast_core::seam::{Register, Renew, Renewed, WorkerRow};
use steadfast_core::{Fence, Grant, StoreError, Task, TaskId, Time, WorkerId};

const REGISTER: Sql = Sql(include_str!("../sql/register.sql"));
const RENEW: Sql = Sql(include_str!("../sql/renew.sql"));
const RENEW_READ: Sql = Sql(include_str!("../sql/renew_read.sql"));
const HANDLED: Sql = Sql(include_str!("../sql/recall_handled.sql"));
const RETIRE: Sql = Sql(include_str!("../sql/retire.sql"));
const WORKERS: Sql = Sql(include_str!("../sql/workers.sql"));
const HELD: Sql = Sql(include_str!("../sql/held.sql"));
const RECALL: Sql = Sql(include_str!("../sql/recall.sql"));

/// A worker starts. A repeat is harmless, and brings no dead worker back.
pub(crate) async fn register(pool: &Pool, register: &Register) -> Fallible<Time> {
    let offer = serde_json::to_string(&register.offer)
        .map_err(|fault| StoreError::Bug(format!("an offer has no JSON form: {fault}")))?;
    let mut tx = pool.begin().await?;
    let mut db = tx.db();
    let now = db.now;
    let lease_until = now.after(register.lease).micros();
    let given =
        params![id(register.worker.uuid()), register.name.as_str(), register.build, offer, lease_until];
    let result = db.execute(&REGISTER, given).await;
    tx.end(result).await?;
    Ok(now)
}

/// A worker lives, unless it was declared dead.
///
/// A renew over a new session, after the old one was lost between two renews, is done and yet answered as a failure: the
/// server may be another one now, a replica on which the leases of all others are old. Whoever hears of a failure does
/// not judge others until they could have renewed too.
pub(crate) async fn renew(pool: &Pool, renew: &Renew) -> Fallible<Renewed> {
    abort::pass(Point::RenewSent);
    let mut loan = pool.take().await?;
    let mut result = renew_on(&mut loan, renew).await;
    let is_closed = loan.was_idle && result.as_ref().is_err_and(Fault::is_closed);
    let after_loss = loan.after_loss || is_closed;
    if is_closed {
        drop(loan);
        loan = pool.take().await?;
        result = renew_on(&mut loan, renew).await;
    }
    loan.back_unless_broken(result.as_ref().err());
    match result? {
        Renewed::Alive { .. } if after_loss => {
            Err(StoreError::Down("the session was lost since the last renew".into()).into())
        }
        renewed => Ok(renewed),
    }
}

/// Three statements and no transaction: each is good by itself, and whatever fails is sent again with the next renew.
async fn renew_on(loan: &mut Loan, renew: &Renew) -> Fallible<Renewed> {
    let now = loan.pool.setting.now();
    let worker = || id(renew.worker.uuid());
    let mut db = loan.db(Time::default());
    if db.execute(&RENEW, params![now, micros(renew.lease), worker()]).await? == 0 {
        return Ok(Renewed::Dead);
    }
    let handled: Vec<&Fence> = renew.handled.iter().filter(|fence| fence.worker == renew.worker).collect();
    if !handled.is_empty() {
        let handled = list(handled, |fence| json!([hex_id(fence.task.uuid()), fence.grant.get()]));
        db.execute(&HANDLED, params![handled, worker()]).await?;
    }
    let rows = db.query(&RENEW_READ, params![now, worker()]).await?;
    let first = only(&rows)?;
    let (now, running) = (first.time(0)?, usize::try_from(first.int(1)?).unwrap_or(0));
    let mut recalls = Vec::new();
    for row in &rows {
        if let Some(task) = row.uuid_or_none(2)?.map(TaskId::from_uuid) {
            recalls.push(Fence { task, grant: Grant::from_i64(row.int(3)?), worker: renew.worker });
        }
    }
    Ok(Renewed::Alive { now, recalls, running })
}

/// A worker leaves.
pub(crate) async fn retire(pool: &Pool, worker: WorkerId) -> Fallible<()> {
    pool.execute(&RETIRE, params![id(worker.uuid())]).await?;
    Ok(())
}

/// All workers, dead ones too.
pub(crate) async fn workers(pool: &Pool) -> Fallible<Vec<WorkerRow>> {
    let read = |row: &Cells| {
        Ok(WorkerRow {
            worker: row.worker_id(0)?,
            name: row.text(1)?.to_owned(),
            build: row.int(2)?,
            offer: serde_json::from_str(row.text(3)?).unwrap_or_default(),
            lease_until: row.time(4)?,
            dead: row.flag(5)?,
        })
    };
    pool.read(&WORKERS, params![]).await?.iter().map(read).collect()
}

/// All that a worker holds as running.
pub(crate) async fn held(pool: &Pool, worker: WorkerId) -> Fallible<Vec<Task>> {
    row::read_all(&pool.read(&HELD, params![id(worker.uuid())]).await?)
}

/// Tells workers that runs were taken from them.
pub(crate) async fn recall(db: &mut Db<'_>, fences: &[Fence]) -> Fallible<()> {
    let row = |fence: &Fence| params![id(fence.worker.uuid()), id(fence.task.uuid()), fence.grant.get()];
    let rows: Vec<Params> = fences.iter().map(row).collect();
    db.insert(&RECALL, &rows, &Params::new()).await?;
    Ok(())
}
