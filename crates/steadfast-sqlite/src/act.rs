//! What people do to tasks, and how a worker takes one over.

use crate::db::Db;
use crate::fault::Fallible;
use crate::row::{self, Row};
use crate::{history, key, payload, worker};
use steadfast_core::seam::Eject;
use steadfast_core::{Act, Acted, Deed, Payload, Refusal, Retention, Status, Task};

/// Does acts, each or says why not.
pub(crate) fn act(db: &Db<'_>, acts: &[Act]) -> Fallible<Vec<Result<Acted, Refusal>>> {
    acts.iter().map(|act| act_one(db, act)).collect()
}

/// Takes a running or parked task over at once. A parked one has no run to recall.
pub(crate) fn eject(db: &Db<'_>, eject: &Eject) -> Fallible<Result<Task, Refusal>> {
    let found = match row::live(db, eject.id)? {
        Some(row) => Some(row),
        None => row::ended(db, eject.id)?,
    };
    let Some(Row { mut task, .. }) = found else { return Ok(Err(Refusal::NoTask(eject.id))) };
    // Ejecting stops a run as a pause does, so the same guards are good for it.
    if let Err(refusal) = eject.guard.check(&task, &Deed::Pause) {
        return Ok(Err(refusal));
    }
    if !task.status.has_holder() {
        return Ok(Err(Refusal::Status { id: task.id, deed: "eject", status: task.status }));
    }
    if let Some(fence) = task.fence().filter(|_| task.status == Status::Running) {
        worker::recall(db, fence)?;
    }
    if let Some(step) = &eject.step {
        task.step = Some(step.clone());
    }
    if let Some(given) = &eject.payload {
        rewrite(db, &mut task, given)?;
    }
    task.granted(eject.worker, eject.deadline, db.now);
    row::write(db, &task)?;
    Ok(Ok(task))
}

fn act_one(db: &Db<'_>, act: &Act) -> Fallible<Result<Acted, Refusal>> {
    if let Some(row) = row::live(db, act.id)? {
        return act_on_living(db, row, act);
    }
    match row::ended(db, act.id)? {
        Some(row) => act_on_ended(db, payload::complete(db, row)?, act),
        None => Ok(Err(Refusal::NoTask(act.id))),
    }
}

fn act_on_living(db: &Db<'_>, mut row: Row, act: &Act) -> Fallible<Result<Acted, Refusal>> {
    let old_len = row.task.payload_len;
    let acted = match apply(db, act, &mut row.task) {
        Ok(acted) => acted,
        Err(refusal) => return Ok(Err(refusal)),
    };
    row::write(db, &row.task)?;
    if let Deed::Rewrite { payload: Some(given), .. } = &act.deed {
        payload::replace(db, &row.task, old_len, given)?;
    }
    if acted.status.is_final() {
        // Kept whole whatever the kind says of tasks that went well: a person may want it to run again.
        history::enter(db, &row, Retention::History)?;
    }
    if let Some(fence) = acted.recalled {
        worker::recall(db, fence)?;
    }
    Ok(Ok(acted))
}

/// The only act that fits an ended task is to run it again.
fn act_on_ended(db: &Db<'_>, mut row: Row, act: &Act) -> Fallible<Result<Acted, Refusal>> {
    let acted = match apply(db, act, &mut row.task) {
        Ok(acted) => acted,
        Err(refusal) => return Ok(Err(refusal)),
    };
    if let Some(key) = &row.task.key
        && let Some(holder) = key::take(db, key, act.id)?
    {
        return Ok(Err(Refusal::KeyTaken { id: act.id, holder }));
    }
    history::leave(db, row)?;
    Ok(Ok(acted))
}

fn apply(db: &Db<'_>, act: &Act, task: &mut Task) -> Result<Acted, Refusal> {
    act.guard.check(task, &act.deed)?;
    act.deed.apply(task, db.now)
}

fn rewrite(db: &Db<'_>, task: &mut Task, given: &Payload) -> Fallible<()> {
    payload::replace(db, task, task.payload_len, given)?;
    task.payload_len = given.len();
    task.payload = Some(given.clone()).filter(|given| !row::is_large(given.len()));
    Ok(())
}
