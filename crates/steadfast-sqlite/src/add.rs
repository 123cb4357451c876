//! Adding tasks, and settling batches whose reply was lost.

use crate::db::Db;
use crate::extra::Extra;
use crate::fault::Fallible;
use crate::lot::Lot;
use crate::{key, payload, repeat, search};
use rusqlite::params;
use std::time::Duration;
use steadfast_core::abort::{self, Point};
use steadfast_core::seam::{Add, Added, Adds, Birth, Settled};
use steadfast_core::{NewTask, Receipt, Refusal, Task, Time};

const ADD: &str = include_str!("../sql/add.sql");
const RECEIPT: &str = include_str!("../sql/receipt.sql");
const RECEIPT_GET: &str = include_str!("../sql/receipt_get.sql");

/// Adds a batch, or refuses all of it.
pub(crate) fn add(db: &Db<'_>, add: Add) -> Fallible<Adds> {
    if let Some(receipt) = add.receipt
        && !write_receipt(db, receipt, Settled::Committed)?
    {
        return Err(Refusal::Receipt(receipt.uuid()).into());
    }
    let added = add_all(db, add.tasks)?;
    let born = add.births.map_or_else(|| Ok(Vec::new()), |birth| bear_all(db, birth))?;
    abort::pass(Point::AddSent);
    Ok(Adds { now: db.now, added, born })
}

/// Adds tasks in the order given.
pub(crate) fn add_all(db: &Db<'_>, tasks: Vec<NewTask>) -> Fallible<Vec<Added>> {
    let mut added = Vec::with_capacity(tasks.len());
    let mut lot = Lot::new(db);
    for new in tasks {
        let window = new.key_window;
        let first = match &new.key {
            Some(key) => key::take(db, key, new.id)?,
            None => None,
        };
        if let Some(first) = first {
            added.push(repeat::meet(db, new, first)?);
            continue;
        }
        let task = Task::added(new, 0, db.now);
        let (status, due_at) = (task.status, task.due_at);
        added.push(Added { id: task.id, fresh: true, replaced: false, status, due_at });
        lot.put(task, window)?;
    }
    lot.end()?;
    Ok(added)
}

/// Adds tasks as running on the worker that adds them.
fn bear_all(db: &Db<'_>, birth: Birth) -> Fallible<Vec<Task>> {
    let mut lot = Lot::new(db);
    for (new, deadline) in birth.tasks {
        let window = new.key_window;
        let mut task = Task::added(new, 0, db.now);
        task.granted(birth.worker, deadline, db.now);
        lot.put(task, window)?;
    }
    lot.end()
}

/// Writes one row of any sort and gives the task its place in the order.
pub(crate) fn insert(db: &Db<'_>, task: &mut Task, window: Duration) -> Fallible<()> {
    let given = task.payload.clone().unwrap_or_default();
    let (payload_len, bytes) = payload::columns(&given);
    let row = params![
        task.id.uuid().into_bytes(),
        task.bucket.as_str(),
        task.kind.as_str(),
        task.status.code(),
        task.priority.get(),
        task.due_at.micros(),
        task.ready_at.micros(),
        task.base_at.micros(),
        task.deadline_at.map(Time::micros),
        task.grant.get(),
        task.worker.map(|worker| worker.uuid().into_bytes()),
        task.version.get(),
        task.attempt,
        task.failures,
        task.lost,
        task.created_at.micros(),
        task.changed_at.micros(),
        task.step,
        task.serial,
        task.progress,
        task.output,
        task.errors.to_json(),
        Extra::write(task, window)?,
        given.format.code(),
        payload_len,
        bytes,
    ];
    db.execute(ADD, row)?;
    task.seq = db.last_seq();
    search::add(db, task)?;
    payload::put(db, task.id, &given)
}

/// Finds out whether a batch was committed; if not, its receipt is used up and it never can be.
pub(crate) fn settle(db: &Db<'_>, receipt: Receipt) -> Fallible<Settled> {
    write_receipt(db, receipt, Settled::Never)?;
    let committed = db.first(RECEIPT_GET, [receipt.uuid().into_bytes()], |row| Ok(row.get(0)?))?;
    abort::pass(Point::SettleSent);
    Ok(if committed == Some(true) { Settled::Committed } else { Settled::Never })
}

/// Whether the receipt is new.
fn write_receipt(db: &Db<'_>, receipt: Receipt, settled: Settled) -> Fallible<bool> {
    let committed = settled == Settled::Committed;
    Ok(db.execute(RECEIPT, params![receipt.uuid().into_bytes(), db.now.micros(), committed])? > 0)
}
