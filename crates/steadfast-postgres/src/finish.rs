//! The ends of runs.
//!
//! Runs that went well end in one statement. All others are read under lock, changed by the core's own rule, and
//! written back.

use crate::bare::Bare;
use crate::columns::{column, count, rounds, unrows};
use crate::fault::{Fallible, Fault};
use crate::place::Tid;
use crate::pool::Pool;
use crate::row::{self, Names, WIDTH, Written};
use crate::sql::Sql;
use crate::transaction::Tx;
use crate::worker;
use std::collections::HashMap;
use steadfast_core::abort::{self, Point};
use steadfast_core::seam::{Cause, Finish, Finished};
use steadfast_core::{Retention, Status, Task, TaskId, Time, To};
use tokio_postgres::types::{ToSql, Type};
use uuid::Uuid;

pub(crate) const DONE: Sql = Sql {
    name: "done",
    text: include_str!("../sql/done.sql"),
    types: &[
        Type::INT8,
        Type::UUID_ARRAY,
        Type::INT8_ARRAY,
        Type::UUID_ARRAY,
        Type::INT2_ARRAY,
        Type::INT4_ARRAY,
        Type::INT4_ARRAY,
        Type::INT4_ARRAY,
        Type::TEXT_ARRAY,
        Type::TEXT_ARRAY,
        Type::TID_ARRAY,
    ],
};
const FENCES: &[Type] = &[Type::INT8, Type::UUID_ARRAY, Type::INT8_ARRAY, Type::UUID_ARRAY];
const FENCED: Sql = Sql { name: "fenced_lock", text: include_str!("../sql/fenced_lock.sql"), types: FENCES };
/// A sweep leaves rows that somebody holds to the next one: a stopped worker's transaction must not keep it from the
/// tasks of all others.
const FENCED_FREE: Sql = Sql {
    name: "fenced_free",
    text: concat!(include_str!("../sql/fenced_lock.sql"), "skip locked"),
    types: FENCES,
};

/// Ends runs, each if its fence and its cause still hold.
pub(crate) async fn finish(pool: &Pool, finishes: &[Finish]) -> Fallible<Vec<Finished>> {
    let mut answers = vec![Finished::Lost; finishes.len()];
    let rounds = rounds(finishes, |finish| finish.fence.task);
    if let [round] = rounds.as_slice()
        && round.iter().all(|at| is_short(&finishes[*at]))
    {
        abort::pass(Point::FinishSent);
        short(pool, finishes, round, &mut answers).await?;
        return Ok(answers);
    }
    pool.places.take(finishes.iter().map(|finish| finish.fence));
    let mut tx = pool.begin().await?;
    let result = all(&mut tx, finishes, &rounds, &mut answers).await;
    tx.end(result).await?;
    if finishes.iter().any(|finish| finish.change.to == To::Back) {
        pool.marks.forget_all();
    }
    Ok(answers)
}

/// Ends runs that went well where their rows lay, then by their ids what was not found there: it is lost, or was written
/// again since.
async fn short(pool: &Pool, finishes: &[Finish], round: &[usize], answers: &mut [Finished]) -> Fallible<()> {
    let places = pool.places.take(round.iter().map(|at| finishes[*at].fence));
    if let Some(bare) = Bare::of(finishes, round, &places) {
        bare.end(pool, answers).await?;
    } else {
        let tids = places.iter().map(|place| place.map(|place| place.tid)).collect();
        let lot = Lot::new(pool.now(), finishes, round, tids);
        accept(&pool.run(&DONE, &lot.params()).await?, round, answers)?;
    }
    let told = round.iter().zip(&places).filter(|(_, place)| place.is_some());
    let moved: Vec<usize> = told.map(|(at, _)| *at).filter(|at| answers[*at] == Finished::Lost).collect();
    if !moved.is_empty() {
        let lot = Lot::new(pool.now(), finishes, &moved, vec![None; moved.len()]);
        accept(&pool.run(&DONE, &lot.params()).await?, &moved, answers)?;
    }
    Ok(())
}

pub(crate) async fn all(
    tx: &mut Tx,
    finishes: &[Finish],
    rounds: &[Vec<usize>],
    answers: &mut [Finished],
) -> Fallible<()> {
    for round in rounds {
        let (short, long): (Vec<usize>, Vec<usize>) = round.iter().partition(|at| is_short(&finishes[**at]));
        if !short.is_empty() {
            let lot = Lot::new(tx.now(), finishes, &short, vec![None; short.len()]);
            accept(&tx.query(&DONE, &lot.params()).await?, &short, answers)?;
        }
        if !long.is_empty() {
            by_rule(tx, finishes, &long, answers).await?;
        }
    }
    if finishes.iter().any(|finish| matches!(finish.change.to, To::Parked(_))) {
        abort::pass(Point::ParkSent);
    }
    abort::pass(Point::FinishSent);
    Ok(())
}

/// Whether a run went well and brings nothing along that the short way does not know.
fn is_short(finish: &Finish) -> bool {
    let change = &finish.change;
    finish.cause == Cause::Holder
        && matches!(change.to, To::Done(_))
        && change.kind.is_none()
        && change.step.is_none()
        && change.payload.is_none()
}

/// Runs that end the short way, in order of their tasks.
struct Lot {
    now: Option<i64>,
    ids: Vec<Uuid>,
    grants: Vec<i64>,
    workers: Vec<Uuid>,
    retentions: Vec<i16>,
    attempts: Vec<i32>,
    failures: Vec<i32>,
    losts: Vec<i32>,
    errors: Vec<Option<String>>,
    outputs: Vec<Option<String>>,
    /// Where their rows lay, as far as it is known.
    tids: Vec<Option<Tid>>,
}

impl Lot {
    fn new(now: Option<i64>, finishes: &[Finish], places: &[usize], tids: Vec<Option<Tid>>) -> Self {
        let lot: Vec<&Finish> = places.iter().map(|at| &finishes[*at]).collect();
        let retention = |finish: &&Finish| match finish.change.to {
            To::Done(retention) => row::retention_code(retention),
            _ => row::retention_code(Retention::History),
        };
        Self {
            now,
            ids: column(&lot, |finish| finish.fence.task.uuid()),
            grants: column(&lot, |finish| finish.fence.grant.get()),
            workers: column(&lot, |finish| finish.fence.worker.uuid()),
            retentions: column(&lot, retention),
            attempts: column(&lot, |finish| count(finish.change.attempt)),
            failures: column(&lot, |finish| count(finish.change.failures)),
            losts: column(&lot, |finish| count(finish.change.lost)),
            errors: column(&lot, |finish| {
                finish.change.errors.as_ref().map(|errors| errors.to_json().unwrap_or_else(|| "[]".into()))
            }),
            outputs: column(&lot, |finish| finish.change.output.clone()),
            tids,
        }
    }

    fn params(&self) -> [&(dyn ToSql + Sync); 11] {
        [
            &self.now,
            &self.ids,
            &self.grants,
            &self.workers,
            &self.retentions,
            &self.attempts,
            &self.failures,
            &self.losts,
            &self.errors,
            &self.outputs,
            &self.tids,
        ]
    }
}

/// Only what the fenced statement says was accepted: by its number among those at these places in the batch.
pub(crate) fn accept(
    rows: &[tokio_postgres::Row],
    places: &[usize],
    answers: &mut [Finished],
) -> Fallible<()> {
    let row = rows.first().ok_or_else(|| Fault::unreadable("end"))?;
    let due_at = Time::from_micros(row.try_get(1)?);
    for n in row.try_get::<_, Option<Vec<i64>>>(0)?.unwrap_or_default() {
        // The server counts from one.
        if let Some(at) = places.get(unrows(n).wrapping_sub(1)) {
            answers[*at] = Finished::Accepted { status: Status::Done, due_at };
        }
    }
    Ok(())
}

/// A task that a fence holds.
struct Fenced {
    task: Task,
    now: Time,
    /// Whether its worker has a live row.
    lives: bool,
}

async fn by_rule(
    tx: &mut Tx,
    finishes: &[Finish],
    places: &[usize],
    answers: &mut [Finished],
) -> Fallible<()> {
    let mut held = fenced(tx, finishes, places).await?;
    let (mut written, mut ended, mut recalled) = (Vec::new(), Vec::new(), Vec::new());
    for at in places {
        let finish = &finishes[*at];
        let Some(Fenced { mut task, now, lives }) = held.remove(&finish.fence.task) else { continue };
        if !holds(finish.cause, &task, now, lives) {
            continue;
        }
        if finish.cause == Cause::Overdue && task.status == Status::Running {
            recalled.push(finish.fence);
        }
        finish.change.apply(&mut task, now);
        answers[*at] = Finished::Accepted { status: task.status, due_at: task.due_at };
        if let Some(retention) = finish.change.to.ends() {
            ended.push((task.id, retention));
        }
        written.push(Written { task, payload: finish.change.payload.clone() });
    }
    row::write(&tx.db().await?, &written).await?;
    worker::recall(tx, &recalled).await?;
    row::end(tx, &ended).await
}

/// Locks the tasks that fences hold. One that is missing means that the grant is lost.
async fn fenced(tx: &mut Tx, finishes: &[Finish], places: &[usize]) -> Fallible<HashMap<TaskId, Fenced>> {
    let (mut names, mut held) = (Names::default(), HashMap::new());
    let (holders, sweeps): (Vec<&Finish>, Vec<&Finish>) =
        places.iter().map(|at| &finishes[*at]).partition(|finish| finish.cause == Cause::Holder);
    for (sql, lot) in [(&FENCED, holders), (&FENCED_FREE, sweeps)] {
        if lot.is_empty() {
            continue;
        }
        let ids = column(&lot, |finish| finish.fence.task.uuid());
        let grants = column(&lot, |finish| finish.fence.grant.get());
        let workers = column(&lot, |finish| finish.fence.worker.uuid());
        let now = tx.now();
        for found in tx.query(sql, &[&now, &ids, &grants, &workers]).await? {
            let task = row::read(&found, &mut names)?;
            let now = Time::from_micros(found.try_get(WIDTH)?);
            held.insert(task.id, Fenced { task, now, lives: found.try_get(WIDTH + 1)? });
        }
    }
    Ok(held)
}

/// Whether a sweep's reason still holds: it looked some time ago. A holder needs none but its fence.
fn holds(cause: Cause, task: &Task, now: Time, lives: bool) -> bool {
    match (cause, task.status) {
        (Cause::Holder, _) => true,
        // A parked task needs no worker: one that was parked meanwhile stays.
        (Cause::Dead, status) => status == Status::Running && !lives,
        (Cause::Overdue, Status::Running) => task.deadline_at.is_some_and(|deadline_at| deadline_at <= now),
        (Cause::Overdue, Status::Parked) => task.due_at <= now,
        (Cause::Overdue, _) => false,
    }
}
