//! The ends of runs.
//!
//! A run that ends well and has nothing beside its row takes a short way: found by its fence, removed with
//! others. All others are read, changed by the core's own rule, and written back.

use crate::db::{Db, Prepared};
use crate::fault::Fallible;
use crate::row::{self, Names, Row};
use crate::{history, payload, worker};
use rusqlite::params;
use steadfast_core::abort::{self, Point};
use steadfast_core::seam::{Cause, Finish, Finished};
use steadfast_core::{Fence, Kind, Retention, Status, Task, Time, To};

const PLAIN: &str = include_str!("../sql/finish_plain.sql");
const DELETE: &str = include_str!("../sql/finish_delete.sql");
const HISTORY: &str = include_str!("../sql/finish_history.sql");
const REMOVE: &str = include_str!("../sql/finish_remove.sql");
const FENCED: &str = include_str!("../sql/fenced.sql");
/// Rows that one statement removes.
const DELETE_ROWS: usize = 32;

/// Ends runs, each if its fence and its cause still hold.
pub(crate) fn finish(db: &Db<'_>, finishes: &[Finish]) -> Fallible<Vec<Finished>> {
    let mut finished = Vec::with_capacity(finishes.len());
    let mut plain = db.prepare(PLAIN)?;
    let mut leaving: Vec<i64> = Vec::with_capacity(DELETE_ROWS);
    for finish in finishes {
        let done = Finished::Accepted { status: Status::Done, due_at: db.now };
        // One that is named twice in a batch is found once: it takes the long way, behind those that leave.
        if leaves_nothing(finish)
            && let Some(seq) = find_plain(&mut plain, finish.fence)?
            && !leaving.contains(&seq)
        {
            leaving.push(seq);
            if leaving.len() == DELETE_ROWS {
                delete(db, &mut leaving)?;
            }
            finished.push(done);
            continue;
        }
        delete(db, &mut leaving)?;
        finished.push(if moves_shortly(db, finish)? { done } else { finish_one(db, finish)? });
    }
    delete(db, &mut leaving)?;
    if finishes.iter().any(|finish| matches!(finish.change.to, To::Parked(_))) {
        abort::pass(Point::ParkSent);
    }
    abort::pass(Point::FinishSent);
    Ok(finished)
}

/// Reads the task that a fence holds, without its payload. No row means that the grant is lost.
pub(crate) fn fenced(db: &Db<'_>, fence: Fence) -> Fallible<Option<Row>> {
    let (task, worker) = (fence.task.uuid(), fence.worker.uuid());
    let given = params![task.as_bytes(), fence.grant.get(), worker.as_bytes()];
    db.first(FENCED, given, |found| row::read(found, &mut Names::default()))
}

fn leaves_nothing(finish: &Finish) -> bool {
    finish.cause == Cause::Holder && finish.change.to == To::Done(Retention::Delete)
}

fn find_plain(statement: &mut Prepared<'_>, fence: Fence) -> Fallible<Option<i64>> {
    let (task, worker) = (fence.task.uuid().into_bytes(), fence.worker.uuid().into_bytes());
    let mut rows = statement.query(params![task, fence.grant.get(), worker])?;
    Ok(rows.next()?.map(|row| row.get(0)).transpose()?)
}

fn delete(db: &Db<'_>, leaving: &mut Vec<i64>) -> Fallible<()> {
    if leaving.is_empty() {
        return Ok(());
    }
    let mut statement = db.prepare(DELETE)?;
    for at in 0..DELETE_ROWS {
        // What is not there is null, and no row is null.
        statement.raw_bind_parameter(at + 1, leaving.get(at))?;
    }
    statement.raw_execute()?;
    leaving.clear();
    Ok(())
}

/// Moves a run that went well to the history without reading it, if it has no key.
fn moves_shortly(db: &Db<'_>, finish: &Finish) -> Fallible<bool> {
    let (fence, change) = (finish.fence, &finish.change);
    let keeps = finish.cause == Cause::Holder && change.to == To::Done(Retention::History);
    if !keeps || change.payload.is_some() {
        return Ok(false);
    }
    let moved = params![
        fence.task.uuid().into_bytes(),
        fence.grant.get(),
        fence.worker.uuid().into_bytes(),
        db.now.micros(),
        change.attempt,
        change.failures,
        change.lost,
        change.kind.as_ref().map(Kind::as_str),
        change.step,
        change.output,
        change.errors.as_ref().and_then(steadfast_core::Errors::to_json),
    ];
    let moved = db.execute(HISTORY, moved)? > 0;
    if moved {
        db.execute(REMOVE, [fence.task.uuid().into_bytes()])?;
    }
    Ok(moved)
}

fn finish_one(db: &Db<'_>, finish: &Finish) -> Fallible<Finished> {
    let Some(mut row) = fenced(db, finish.fence)? else { return Ok(Finished::Lost) };
    if !holds(db, finish.cause, &row.task)? {
        return Ok(Finished::Lost);
    }
    if finish.cause == Cause::Overdue && row.task.status == Status::Running {
        worker::recall(db, finish.fence)?;
    }
    let old_len = row.task.payload_len;
    finish.change.apply(&mut row.task, db.now);
    row::write(db, &row.task)?;
    if let Some(given) = &finish.change.payload {
        payload::replace(db, &row.task, old_len, given)?;
    }
    if let To::Done(retention) = finish.change.to {
        history::enter(db, &row, retention)?;
    }
    Ok(Finished::Accepted { status: row.task.status, due_at: row.task.due_at })
}

/// Whether a sweep's reason still holds: it looked some time ago. A holder needs none but its fence.
fn holds(db: &Db<'_>, cause: Cause, task: &Task) -> Fallible<bool> {
    match (cause, task.worker) {
        (Cause::Holder, _) => Ok(true),
        // A parked task needs no worker: one that was parked meanwhile stays.
        (Cause::Dead, Some(id)) if task.status == Status::Running => Ok(!worker::lives(db, id)?),
        (Cause::Dead, _) => Ok(false),
        (Cause::Overdue, _) => Ok(is_overdue(task, db.now)),
    }
}

/// Whether a run is past its deadline, or a parked task past its time.
fn is_overdue(task: &Task, now: Time) -> bool {
    match task.status {
        Status::Running => task.deadline_at.is_some_and(|deadline_at| deadline_at <= now),
        Status::Parked => task.due_at <= now,
        _ => false,
    }
}
