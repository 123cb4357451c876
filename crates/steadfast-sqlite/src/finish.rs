//! The ends of runs.
//!
//! Most go the short way, which [`neighbours`] and [`ending`] know. All others are read, changed by the core's own rule, and
//! written back.

use crate::db::Db;
use crate::fault::Fallible;
use crate::row::{self, Names, Row};
use crate::{ending, history, neighbours, payload, worker};
use rusqlite::params;
use steadfast_core::abort::{self, Point};
use steadfast_core::seam::{Cause, Finish, Finished};
use steadfast_core::{Fence, Status, Task, TaskId, Time, To};

const FENCED: &str = include_str!("../sql/fenced.sql");

/// Ends runs, each if its fence and its cause still hold. The seqs are those of the runs, as far as
/// somebody remembers.
pub(crate) fn finish(db: &Db<'_>, finishes: &[Finish], seqs: &[Option<i64>]) -> Fallible<Vec<Finished>> {
    let (mut answers, mut ended) = (Vec::with_capacity(finishes.len()), vec![false; finishes.len()]);
    neighbours::end(db, finishes, seqs, &mut ended)?;
    for (lot, ended) in finishes.chunks(ending::ROWS).zip(ended.chunks_mut(ending::ROWS)) {
        // A task that is named twice ends once, by whoever comes first.
        if !is_repeated(lot) {
            ending::end(db, lot, ended)?;
        }
        for (finish, ended) in lot.iter().zip(ended) {
            let done = Finished::Accepted { status: Status::Done, due_at: db.now };
            answers.push(if *ended { done } else { finish_one(db, finish)? });
        }
    }
    if finishes.iter().any(|finish| matches!(finish.change.to, To::Parked(_))) {
        abort::pass(Point::ParkSent);
    }
    abort::pass(Point::FinishSent);
    Ok(answers)
}

/// Reads the task that a fence holds, without its payload. No row means that the grant is lost.
pub(crate) fn fenced(db: &Db<'_>, fence: Fence) -> Fallible<Option<Row>> {
    let (task, worker) = (fence.task.uuid(), fence.worker.uuid());
    let given = params![task.as_bytes(), fence.grant.get(), worker.as_bytes()];
    db.first(FENCED, given, |found| row::read(found, &mut Names::default()))
}

fn is_repeated(lot: &[Finish]) -> bool {
    let mut ids: Vec<TaskId> = lot.iter().map(|finish| finish.fence.task).collect();
    ids.sort_unstable();
    ids.windows(2).any(|pair| pair[0] == pair[1])
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
    if let Some(retention) = finish.change.to.ends() {
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
