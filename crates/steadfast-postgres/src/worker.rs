//! Workers: their leases, what was taken from them, and what they hold.

use crate::columns::{column, micros, only, unrows};
use crate::fault::Fallible;
use crate::pool::Pool;
use crate::row;
use crate::sql::Sql;
use crate::transaction::Tx;
use steadfast_core::abort::{self, Point};
use steadfast_core::seam::{Register, Renew, Renewed, WorkerRow};
use steadfast_core::{Fence, Grant, StoreError, Task, TaskId, Time, WorkerId};
use tokio_postgres::types::Type;
use uuid::Uuid;

const REGISTER: Sql = Sql {
    name: "register",
    text: include_str!("../sql/register.sql"),
    types: &[Type::INT8, Type::UUID, Type::TEXT, Type::INT8, Type::TEXT, Type::INT8],
};
const RENEW: Sql = Sql {
    name: "renew",
    text: include_str!("../sql/renew.sql"),
    types: &[Type::INT8, Type::UUID, Type::INT8, Type::UUID_ARRAY, Type::INT8_ARRAY],
};
const RETIRE: Sql = Sql { name: "retire", text: include_str!("../sql/retire.sql"), types: &[Type::UUID] };
const WORKERS: Sql = Sql { name: "workers", text: include_str!("../sql/workers.sql"), types: &[] };
const HELD: Sql = Sql { name: "held", text: include_str!("../sql/held.sql"), types: &[Type::UUID] };
const RECALL: Sql = Sql {
    name: "recall",
    text: include_str!("../sql/recall.sql"),
    types: &[Type::UUID_ARRAY, Type::UUID_ARRAY, Type::INT8_ARRAY],
};

/// A worker starts. A repeat is harmless, and brings no dead worker back.
pub(crate) async fn register(pool: &Pool, register: &Register) -> Fallible<Time> {
    let (worker, lease) = (register.worker.uuid(), micros(register.lease));
    let offer = serde_json::to_string(&register.offer)
        .map_err(|fault| StoreError::Bug(format!("an offer has no JSON form: {fault}")))?;
    let given = pool.now();
    let rows =
        pool.run(&REGISTER, &[&given, &worker, &register.name, &register.build, &offer, &lease]).await?;
    only(&rows).map(Time::from_micros)
}

/// A worker lives, unless it was declared dead.
///
/// A renew over a new session, after the old one was lost between two renews, is done and yet answered as a failure: the
/// server may be another one now, a replica on which the leases of all others are old. Whoever hears of a failure does
/// not judge others until they could have renewed too.
pub(crate) async fn renew(pool: &Pool, renew: &Renew) -> Fallible<Renewed> {
    abort::pass(Point::RenewSent);
    let handled: Vec<Fence> =
        renew.handled.iter().copied().filter(|fence| fence.worker == renew.worker).collect();
    let tasks = column(&handled, |fence| fence.task.uuid());
    let grants = column(&handled, |fence| fence.grant.get());
    let (worker, lease) = (renew.worker.uuid(), micros(renew.lease));
    let loan = pool.take().await?;
    let after_loss = loan.after_loss;
    let rows = loan.run(&RENEW, &[&pool.now(), &worker, &lease, &tasks, &grants]).await?;
    let Some(first) = rows.first() else { return Ok(Renewed::Dead) };
    if after_loss {
        return Err(StoreError::Down("the session was lost since the last renew".into()).into());
    }
    let (now, running) = (Time::from_micros(first.try_get(0)?), unrows(first.try_get(1)?));
    let mut recalls = Vec::new();
    for row in &rows {
        if let Some(task) = row.try_get::<_, Option<Uuid>>(2)? {
            let (task, grant) = (TaskId::from_uuid(task), Grant::from_i64(row.try_get(3)?));
            recalls.push(Fence { task, grant, worker: renew.worker });
        }
    }
    Ok(Renewed::Alive { now, recalls, running })
}

/// A worker leaves.
pub(crate) async fn retire(pool: &Pool, worker: WorkerId) -> Fallible<()> {
    pool.run(&RETIRE, &[&worker.uuid()]).await?;
    Ok(())
}

/// All workers, dead ones too.
pub(crate) async fn workers(pool: &Pool) -> Fallible<Vec<WorkerRow>> {
    let rows = pool.read(&WORKERS, &[]).await?;
    let read = |row: &tokio_postgres::Row| {
        Ok(WorkerRow {
            worker: WorkerId::from_uuid(row.try_get(0)?),
            name: row.try_get(1)?,
            build: row.try_get(2)?,
            offer: serde_json::from_str(row.try_get(3)?).unwrap_or_default(),
            lease_until: Time::from_micros(row.try_get(4)?),
            dead: row.try_get(5)?,
        })
    };
    rows.iter().map(read).collect()
}

/// All that a worker holds as running.
pub(crate) async fn held(pool: &Pool, worker: WorkerId) -> Fallible<Vec<Task>> {
    row::read_all(&pool.read(&HELD, &[&worker.uuid()]).await?)
}

/// Tells workers that runs were taken from them.
pub(crate) async fn recall(tx: &mut Tx, fences: &[Fence]) -> Fallible<()> {
    if !fences.is_empty() {
        let workers = column(fences, |fence| fence.worker.uuid());
        let tasks = column(fences, |fence| fence.task.uuid());
        tx.query(&RECALL, &[&workers, &tasks, &column(fences, |fence| fence.grant.get())]).await?;
    }
    Ok(())
}
