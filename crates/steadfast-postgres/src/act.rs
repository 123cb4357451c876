//! What people do to tasks, and how a worker takes one over.

use crate::columns::{column, rounds};
use crate::fault::Fallible;
use crate::pool::Pool;
use crate::row::{self, Names, WIDTH, Written};
use crate::sql::Sql;
use crate::transaction::Tx;
use crate::{key, worker};
use std::collections::BTreeMap;
use steadfast_core::seam::Eject;
use steadfast_core::{Act, Acted, Deed, Key, Refusal, Retention, Status, Task, TaskId, Time};
use tokio_postgres::types::Type;

pub(crate) const LIVE_LOCK: Sql = Sql {
    name: "live_lock",
    text: include_str!("../sql/live_lock.sql"),
    types: &[Type::INT8, Type::UUID_ARRAY],
};
const ENDED_LOCK: Sql = Sql {
    name: "ended_lock",
    text: include_str!("../sql/ended_lock.sql"),
    types: &[Type::INT8, Type::UUID_ARRAY],
};
const LIVE: Sql = Sql { name: "live", text: include_str!("../sql/live.sql"), types: &[Type::UUID_ARRAY] };
const AGAIN: Sql = Sql { name: "again", text: include_str!("../sql/again.sql"), types: &[Type::UUID_ARRAY] };

/// How often a task may go to the history and come back while it is looked for.
const TRIES_MAX: usize = 3;

/// A task as it was found, locked, with the clock.
struct Found {
    task: Task,
    now: Time,
    ended: bool,
}

/// Does acts, each or says why not.
pub(crate) async fn act(pool: &Pool, acts: &[Act]) -> Fallible<Vec<Result<Acted, Refusal>>> {
    let mut answers: Vec<_> = acts.iter().map(|act| Err(Refusal::NoTask(act.id))).collect();
    let mut tx = pool.begin().await?;
    let result = async {
        for round in rounds(acts, |act| act.id) {
            act_round(&mut tx, acts, &round, &mut answers).await?;
        }
        Ok(())
    }
    .await;
    tx.end(result).await?;
    pool.marks.forget_all();
    Ok(answers)
}

/// Takes a running or parked task over at once. A parked one has no run to recall.
pub(crate) async fn eject(pool: &Pool, eject: &Eject) -> Fallible<Result<Task, Refusal>> {
    let mut tx = pool.begin().await?;
    let result = eject_in(&mut tx, eject).await;
    tx.end(result).await
}

async fn eject_in(tx: &mut Tx, eject: &Eject) -> Fallible<Result<Task, Refusal>> {
    let Some(Found { mut task, now, .. }) = find(tx, vec![eject.id]).await?.remove(&eject.id) else {
        return Ok(Err(Refusal::NoTask(eject.id)));
    };
    // Ejecting stops a run as a pause does, so the same guards are good for it.
    if let Err(refusal) = eject.guard.check(&task, &Deed::Pause) {
        return Ok(Err(refusal));
    }
    if !task.status.has_holder() {
        return Ok(Err(Refusal::Status { id: task.id, deed: "eject", status: task.status }));
    }
    if let Some(fence) = task.fence().filter(|_| task.status == Status::Running) {
        worker::recall(tx, &[fence]).await?;
    }
    if let Some(step) = &eject.step {
        task.step = Some(step.clone());
    }
    task.granted(eject.worker, eject.deadline, now);
    row::write(&tx.db().await?, &[Written { task, payload: eject.payload.clone() }]).await?;
    let rows = tx.query(&LIVE, &[&vec![eject.id.uuid()]]).await?;
    Ok(row::read_all(&rows)?.pop().ok_or(Refusal::NoTask(eject.id)))
}

async fn act_round(
    tx: &mut Tx,
    acts: &[Act],
    places: &[usize],
    answers: &mut [Result<Acted, Refusal>],
) -> Fallible<()> {
    let mut found = find(tx, column(places, |at| acts[*at].id)).await?;
    let (mut written, mut ended, mut recalled, mut back) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for at in places {
        let act = &acts[*at];
        let Some(Found { mut task, now, ended: was_ended }) = found.remove(&act.id) else { continue };
        answers[*at] = act.guard.check(&task, &act.deed).and_then(|()| act.deed.apply(&mut task, now));
        let Ok(acted) = &answers[*at] else { continue };
        if was_ended {
            // The only act that fits an ended task is to run it again.
            back.push((*at, task));
            continue;
        }
        if acted.status.is_final() {
            // Kept whole whatever the kind says of tasks that went well: a person may want it to run again.
            ended.push((act.id, Retention::History));
        }
        recalled.extend(acted.recalled);
        let payload = match &act.deed {
            Deed::Rewrite { payload, .. } => payload.clone(),
            _ => None,
        };
        written.push(Written { task, payload });
    }
    written.extend(bring_back(tx, back, answers).await?);
    row::write(&tx.db().await?, &written).await?;
    worker::recall(tx, &recalled).await?;
    row::end(tx, &ended).await
}

/// Brings ended tasks back among the living ones, unless their key names another task by now.
async fn bring_back(
    tx: &mut Tx,
    back: Vec<(usize, Task)>,
    answers: &mut [Result<Acted, Refusal>],
) -> Fallible<Vec<Written>> {
    if back.is_empty() {
        return Ok(Vec::new());
    }
    let keyed: Vec<(&Key, TaskId)> =
        back.iter().filter_map(|(_, task)| task.key.as_ref().map(|key| (key, task.id))).collect();
    let mut holders = key::take(&tx.db().await?, &keyed).await?.into_iter();
    let mut written = Vec::new();
    for (at, task) in &back {
        match task.key.as_ref().and_then(|_| holders.next().flatten()) {
            Some(holder) => answers[*at] = Err(Refusal::KeyTaken { id: task.id, holder }),
            None => written.push(Written { task: task.clone(), payload: None }),
        }
    }
    tx.query(&AGAIN, &[&column(&written, |row| row.task.id.uuid())]).await?;
    Ok(written)
}

/// Finds and locks tasks, living or ended. One that changes sides meanwhile is looked for again.
async fn find(tx: &mut Tx, ids: Vec<TaskId>) -> Fallible<BTreeMap<TaskId, Found>> {
    let mut found = BTreeMap::new();
    let mut missing = ids;
    for _ in 0..TRIES_MAX {
        for (sql, ended) in [(&LIVE_LOCK, false), (&ENDED_LOCK, true)] {
            if missing.is_empty() {
                return Ok(found);
            }
            lock(tx, sql, &missing, ended, &mut found).await?;
            missing.retain(|id| !found.contains_key(id));
        }
    }
    Ok(found)
}

async fn lock(
    tx: &mut Tx,
    sql: &Sql,
    ids: &[TaskId],
    ended: bool,
    found: &mut BTreeMap<TaskId, Found>,
) -> Fallible<()> {
    let (now, ids) = (tx.now(), column(ids, TaskId::uuid));
    let mut names = Names::default();
    for row in tx.query(sql, &[&now, &ids]).await? {
        let task = row::read(&row, &mut names)?;
        found.insert(task.id, Found { task, now: Time::from_micros(row.try_get(WIDTH)?), ended });
    }
    Ok(())
}
