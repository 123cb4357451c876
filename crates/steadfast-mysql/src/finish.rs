//! The ends of runs.
//!
//! Runs that went well leave in a few statements, whatever their number. All others are read under lock, changed by the
//! core's own rule, and written back.

use crate::columns::{hex, hex_id, list, rounds};
use crate::db::Db;
use crate::ending::{self, Ending, whole};
use crate::fault::Fallible;
use crate::pool::Pool;
use crate::row::{self, Names, WIDTH, Written};
use crate::sql::{Sql, params};
use crate::worker;
use mysql_async::Value;
use serde_json::json;
use std::collections::HashMap;
use steadfast_core::abort::{self, Point};
use steadfast_core::seam::{Cause, Finish, Finished};
use steadfast_core::{Fence, Retention, Status, Task, TaskId, Time, To};

const FENCED: Sql = Sql(include_str!("../sql/fenced.sql"));
const FENCED_WHOLE: Sql = Sql(include_str!("../sql/fenced_whole.sql"));
/// A sweep leaves rows that somebody holds to the next one: a stopped worker's transaction must not keep it from the
/// tasks of all others.
const FENCED_FREE: Sql = Sql(concat!(include_str!("../sql/fenced_whole.sql"), "skip locked"));
const DONE_KEEP: Sql = Sql(include_str!("../sql/done_keep.sql"));

/// Ends runs, each if its fence and its cause still hold.
pub(crate) async fn finish(pool: &Pool, finishes: &[Finish]) -> Fallible<Vec<Finished>> {
    let mut answers = vec![Finished::Lost; finishes.len()];
    let mut tx = pool.begin().await?;
    let result = all(&mut tx.db(), finishes, &mut answers).await;
    tx.end(result).await?;
    Ok(answers)
}

pub(crate) async fn all(db: &mut Db<'_>, finishes: &[Finish], answers: &mut [Finished]) -> Fallible<()> {
    for round in rounds(finishes, |finish| finish.fence.task) {
        let (short, long): (Vec<usize>, Vec<usize>) = round.iter().partition(|at| is_short(&finishes[**at]));
        if !short.is_empty() {
            shortly(db, finishes, &short, answers).await?;
        }
        if !long.is_empty() {
            by_rule(db, finishes, &long, answers).await?;
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

async fn shortly(
    db: &mut Db<'_>,
    finishes: &[Finish],
    places: &[usize],
    answers: &mut [Finished],
) -> Fallible<()> {
    let at: HashMap<TaskId, usize> = places.iter().map(|at| (finishes[*at].fence.task, *at)).collect();
    let mut endings = Vec::new();
    for row in &db.query(&FENCED, params![fences(finishes, places)]).await? {
        let place = at.get(&row.task_id(0)?).copied().unwrap_or_default();
        answers[place] = Finished::Accepted { status: Status::Done, due_at: db.now };
        endings.push((place, Ending::read(row, retention(&finishes[place]))?));
    }
    if endings.is_empty() {
        return Ok(());
    }
    let kept = endings.iter().filter(|(_, ending)| ending.retention != Retention::Delete);
    let kept: Vec<&Finish> = kept.map(|(place, _)| &finishes[*place]).collect();
    let now = db.now;
    if !kept.is_empty() {
        db.execute(&DONE_KEEP, params![now.micros(), now.micros(), list(kept, done_row)]).await?;
    }
    let endings: Vec<Ending> = endings.into_iter().map(|(_, ending)| ending).collect();
    ending::remove(db, &endings, now).await
}

fn done_row(finish: &Finish) -> serde_json::Value {
    let change = &finish.change;
    json!([
        hex_id(finish.fence.task.uuid()),
        whole(retention(finish)),
        change.attempt,
        change.failures,
        change.lost,
        change.errors.as_ref().map(|errors| hex(errors.to_json().unwrap_or_else(|| "[]".into()))),
        change.output.as_ref().map(hex),
    ])
}

fn retention(finish: &Finish) -> Retention {
    finish.change.to.ends().unwrap_or(Retention::History)
}

/// A task that a fence holds.
struct Fenced {
    task: Task,
    /// Whether its worker has a live row.
    lives: bool,
}

async fn by_rule(
    db: &mut Db<'_>,
    finishes: &[Finish],
    places: &[usize],
    answers: &mut [Finished],
) -> Fallible<()> {
    let mut held = fenced(db, finishes, places).await?;
    let (mut written, mut ended, mut recalled) = (Vec::new(), Vec::new(), Vec::new());
    for at in places {
        let finish = &finishes[*at];
        let Some(Fenced { mut task, lives }) = held.remove(&finish.fence.task) else { continue };
        if !holds(finish.cause, &task, db.now, lives) {
            continue;
        }
        if finish.cause == Cause::Overdue && task.status == Status::Running {
            recalled.push(finish.fence);
        }
        finish.change.apply(&mut task, db.now);
        answers[*at] = Finished::Accepted { status: task.status, due_at: task.due_at };
        if let Some(retention) = finish.change.to.ends() {
            ended.push((task.id, retention));
        }
        written.push(Written { task, payload: finish.change.payload.clone() });
    }
    row::write(db, &written).await?;
    worker::recall(db, &recalled).await?;
    ending::end(db, &ended).await
}

/// Locks the tasks that fences hold. One that is missing means that the grant is lost.
async fn fenced(db: &mut Db<'_>, finishes: &[Finish], places: &[usize]) -> Fallible<HashMap<TaskId, Fenced>> {
    let (mut names, mut held) = (Names::default(), HashMap::new());
    let (holders, sweeps): (Vec<usize>, Vec<usize>) =
        places.iter().partition(|at| finishes[**at].cause == Cause::Holder);
    for (sql, places) in [(&FENCED_WHOLE, holders), (&FENCED_FREE, sweeps)] {
        if places.is_empty() {
            continue;
        }
        for found in &db.query(sql, params![fences(finishes, &places)]).await? {
            let task = row::read(found, &mut names)?;
            held.insert(task.id, Fenced { task, lives: found.flag(WIDTH)? });
        }
    }
    Ok(held)
}

fn fences(finishes: &[Finish], places: &[usize]) -> Value {
    list(places, |at| fence_row(&finishes[*at].fence))
}

/// A fence for `json_table`.
pub(crate) fn fence_row(fence: &Fence) -> serde_json::Value {
    json!([hex_id(fence.task.uuid()), fence.grant.get(), hex_id(fence.worker.uuid())])
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
