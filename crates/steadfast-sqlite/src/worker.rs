//! Workers: their leases, what was taken from them, and what they left behind.

use crate::db::Db;
use crate::fault::Fallible;
use crate::row::{self, Names};
use rusqlite::params;
use steadfast_core::abort::{self, Point};
use steadfast_core::seam::{Register, Renew, Renewed, WorkerRow};
use steadfast_core::{Fence, Grant, StoreError, Task, TaskId, Time, WorkerId};
use uuid::Uuid;

const REGISTER: &str = include_str!("../sql/register.sql");
const RENEW: &str = include_str!("../sql/renew.sql");
const RETIRE: &str = include_str!("../sql/retire.sql");
const LIVES: &str = include_str!("../sql/lives.sql");
const WORKERS: &str = include_str!("../sql/workers.sql");
const RUNNING: &str = include_str!("../sql/running.sql");
const HELD: &str = include_str!("../sql/held.sql");
const RECALL: &str = include_str!("../sql/recall.sql");
const RECALLS: &str = include_str!("../sql/recalls.sql");
const HANDLED: &str = include_str!("../sql/recall_handled.sql");

/// A worker starts. A repeat is harmless, and brings no dead worker back.
pub(crate) fn register(db: &Db<'_>, register: &Register) -> Fallible<Time> {
    let offer = serde_json::to_string(&register.offer)
        .map_err(|fault| StoreError::Bug(format!("an offer has no JSON form: {fault}")))?;
    let lease_until = db.now.after(register.lease).micros();
    let worker = register.worker.uuid();
    db.execute(REGISTER, params![worker.as_bytes(), register.name, register.build, offer, lease_until])?;
    Ok(db.now)
}

/// A worker lives, unless it was declared dead.
pub(crate) fn renew(db: &Db<'_>, renew: &Renew) -> Fallible<Renewed> {
    let worker = renew.worker.uuid();
    if db.execute(RENEW, params![worker.as_bytes(), db.now.after(renew.lease).micros()])? == 0 {
        return Ok(Renewed::Dead);
    }
    for fence in renew.handled.iter().filter(|fence| fence.worker == renew.worker) {
        let task = fence.task.uuid();
        db.execute(HANDLED, params![worker.as_bytes(), task.as_bytes(), fence.grant.get()])?;
    }
    let recalls = db.all(RECALLS, [worker.as_bytes()], |row| {
        let task = TaskId::from_uuid(Uuid::from_bytes(row.get(0)?));
        Ok(Fence { task, grant: Grant::from_i64(row.get(1)?), worker: renew.worker })
    })?;
    let running: Option<i64> = db.first(RUNNING, [worker.as_bytes()], |row| Ok(row.get(0)?))?;
    abort::pass(Point::RenewSent);
    let running = usize::try_from(running.unwrap_or(0)).unwrap_or(0);
    Ok(Renewed::Alive { now: db.now, recalls, running })
}

/// A worker leaves.
pub(crate) fn retire(db: &Db<'_>, worker: WorkerId) -> Fallible<()> {
    db.execute(RETIRE, [worker.uuid().into_bytes()])?;
    Ok(())
}

/// Whether a worker has a row and was not declared dead. Its lease alone decides nothing: a sweep marks first.
pub(crate) fn lives(db: &Db<'_>, worker: WorkerId) -> Fallible<bool> {
    Ok(db.first(LIVES, [worker.uuid().into_bytes()], |_| Ok(()))?.is_some())
}

/// All workers, dead ones too.
pub(crate) fn workers(db: &Db<'_>) -> Fallible<Vec<WorkerRow>> {
    db.all(WORKERS, [], |row| {
        Ok(WorkerRow {
            worker: WorkerId::from_uuid(Uuid::from_bytes(row.get(0)?)),
            name: row.get(1)?,
            build: row.get(2)?,
            offer: serde_json::from_str(row::text(row, 3)?).unwrap_or_default(),
            lease_until: Time::from_micros(row.get(4)?),
            dead: row.get(5)?,
        })
    })
}

/// All that a worker holds as running.
pub(crate) fn held(db: &Db<'_>, worker: WorkerId) -> Fallible<Vec<Task>> {
    let mut names = Names::default();
    db.all(HELD, [worker.uuid().into_bytes()], |found| Ok(row::read(found, &mut names)?.task))
}

/// Tells a worker that a run was taken from it.
pub(crate) fn recall(db: &Db<'_>, fence: Fence) -> Fallible<()> {
    let (worker, task) = (fence.worker.uuid(), fence.task.uuid());
    db.execute(RECALL, params![worker.as_bytes(), task.as_bytes(), fence.grant.get()])?;
    Ok(())
}
