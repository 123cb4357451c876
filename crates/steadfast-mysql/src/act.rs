//! What people do to tasks, and how a worker takes one over.

use crate::columns::{id, ids, rounds};
use crate::db::Db;
use crate::fault::Fallible;
use crate::pool::Pool;
use crate::row::{self, Written};
use crate::sql::{Sql, params};
use crate::{ending, key, worker};
use std::collections::BTreeMap;
use steadfast_core::seam::Eject;
use steadfast_core::{Act, Acted, Deed, Key, Refusal, Retention, Status, Task, TaskId};

pub(crate) const LIVE_LOCK: Sql = Sql(include_str!("../sql/live_lock.sql"));
const ENDED_LOCK: Sql = Sql(include_str!("../sql/ended_lock.sql"));
const LIVE: Sql = Sql(include_str!("../sql/live.sql"));
const AGAIN: Sql = Sql(include_str!("../sql/again.sql"));
const HISTORY_REMOVE: Sql = Sql(include_str!("../sql/history_remove.sql"));

/// How often a task may go to the history and come back while it is looked for.
const TRIES_MAX: usize = 3;

/// A task as it was found, locked.
struct Found {
    task: Task,
    ended: bool,
}

/// Does acts, each or says why not.
pub(crate) async fn act(pool: &Pool, acts: &[Act]) -> Fallible<Vec<Result<Acted, Refusal>>> {
    let mut answers: Vec<_> = acts.iter().map(|act| Err(Refusal::NoTask(act.id))).collect();
    let mut tx = pool.begin().await?;
    let result = async {
        for round in rounds(acts, |act| act.id) {
            act_round(&mut tx.db(), acts, &round, &mut answers).await?;
        }
        Ok(())
    }
    .await;
    tx.end(result).await?;
    Ok(answers)
}

/// Takes a running or parked task over at once. A parked one has no run to recall.
pub(crate) async fn eject(pool: &Pool, eject: &Eject) -> Fallible<Result<Task, Refusal>> {
    let mut tx = pool.begin().await?;
    let result = eject_in(&mut tx.db(), eject).await;
    tx.end(result).await
}

async fn eject_in(db: &mut Db<'_>, eject: &Eject) -> Fallible<Result<Task, Refusal>> {
    let Some(Found { mut task, .. }) = find(db, vec![eject.id]).await?.remove(&eject.id) else {
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
        worker::recall(db, &[fence]).await?;
    }
    if let Some(step) = &eject.step {
        task.step = Some(step.clone());
    }
    task.granted(eject.worker, eject.deadline, db.now);
    row::write(db, &[Written { task, payload: eject.payload.clone() }]).await?;
    let rows = db.query(&LIVE, params![id(eject.id.uuid())]).await?;
    Ok(row::read_all(&rows)?.pop().ok_or(Refusal::NoTask(eject.id)))
}

async fn act_round(
    db: &mut Db<'_>,
    acts: &[Act],
    places: &[usize],
    answers: &mut [Result<Acted, Refusal>],
) -> Fallible<()> {
    let mut found = find(db, places.iter().map(|at| acts[*at].id).collect()).await?;
    let (mut written, mut ended, mut recalled, mut back) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for at in places {
        let act = &acts[*at];
        let Some(Found { mut task, ended: was_ended }) = found.remove(&act.id) else { continue };
        answers[*at] = act.guard.check(&task, &act.deed).and_then(|()| act.deed.apply(&mut task, db.now));
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
    written.extend(bring_back(db, back, answers).await?);
    row::write(db, &written).await?;
    worker::recall(db, &recalled).await?;
    ending::end(db, &ended).await
}

/// Brings ended tasks back among the living ones, unless their key names another task by now.
async fn bring_back(
    db: &mut Db<'_>,
    back: Vec<(usize, Task)>,
    answers: &mut [Result<Acted, Refusal>],
) -> Fallible<Vec<Written>> {
    if back.is_empty() {
        return Ok(Vec::new());
    }
    let keyed: Vec<(&Key, TaskId)> =
        back.iter().filter_map(|(_, task)| task.key.as_ref().map(|key| (key, task.id))).collect();
    let mut holders = key::take(db, &keyed).await?.into_iter();
    let mut written = Vec::new();
    for (at, task) in &back {
        match task.key.as_ref().and_then(|_| holders.next().flatten()) {
            Some(holder) => answers[*at] = Err(Refusal::KeyTaken { id: task.id, holder }),
            None => written.push(Written { task: task.clone(), payload: None }),
        }
    }
    let given = ids(written.iter().map(|row| row.task.id));
    db.execute(&AGAIN, params![given.clone()]).await?;
    db.execute(&HISTORY_REMOVE, params![given]).await?;
    Ok(written)
}

/// Finds and locks tasks, living or ended. One that changes sides meanwhile is looked for again.
async fn find(db: &mut Db<'_>, wanted: Vec<TaskId>) -> Fallible<BTreeMap<TaskId, Found>> {
    let (mut found, mut missing) = (BTreeMap::new(), wanted);
    for _ in 0..TRIES_MAX {
        for (sql, ended) in [(&LIVE_LOCK, false), (&ENDED_LOCK, true)] {
            if missing.is_empty() {
                return Ok(found);
            }
            let rows = db.query(sql, params![ids(missing.iter().copied())]).await?;
            found.extend(row::read_all(&rows)?.into_iter().map(|task| (task.id, Found { task, ended })));
            missing.retain(|id| !found.contains_key(id));
        }
    }
    Ok(found)
}
