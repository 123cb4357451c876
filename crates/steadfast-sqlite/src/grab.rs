//! Taking tasks, as far as they are there.

use crate::db::Db;
use crate::fault::{Fallible, Fault};
use crate::{bucket, neighbours, row};
use rusqlite::params;
use steadfast_core::abort::{self, Point};
use steadfast_core::seam::Grab;
use steadfast_core::{
    ClusterPath, Demand, Format, Grant, Lane, NewTask, Payload, Task, TaskId, Time, Version,
};
use uuid::Uuid;

/// What a lane reads and what it takes, over the same tasks.
const PLAIN: [&str; 2] = [include_str!("../sql/grab.sql"), include_str!("../sql/grab_take.sql")];
const SUSPECT: [&str; 2] =
    [include_str!("../sql/grab_suspect.sql"), include_str!("../sql/grab_suspect_take.sql")];

const LIMITED: &str = include_str!("../sql/limited.sql");

/// Takes what the demands ask for.
///
/// Whether the worker is alive is not asked: a grab that comes after its worker's death is reaped like any
/// other run without a live holder.
pub(crate) fn grab(db: &Db<'_>, grab: &Grab) -> Fallible<Vec<Task>> {
    let mut granted: Vec<Task> = Vec::new();
    if bucket::is_paused(db, &grab.bucket)? {
        return Ok(granted);
    }
    let mut room = grab.under.as_ref().map_or(Ok(usize::MAX), |path| cluster_room(db, path))?;
    let limited = grab.under.as_ref().map(ClusterPath::leaf);
    for (demand, deadline) in &grab.demands {
        let [list, take] = if demand.lane == Lane::Suspect { SUSPECT } else { PLAIN };
        let (bucket, kind) = (grab.bucket.as_str(), demand.kind.as_str());
        let (priority, n) = (demand.priority.get(), i64::try_from(demand.n.min(room)).unwrap_or(i64::MAX));
        let mut tasks = db.all(list, params![bucket, kind, priority, n], |found| {
            let mut task = read(db, found, grab, demand)?;
            task.granted(grab.worker, *deadline, db.now);
            Ok(task)
        })?;
        let deadline_at = db.now.after(*deadline);
        if !tasks.is_empty() && !neighbours::take(db, &tasks, deadline_at, limited)? {
            let (worker, now) = (grab.worker.uuid().into_bytes(), db.now.micros());
            let deadline_at = deadline_at.micros();
            db.execute(take, params![bucket, kind, priority, n, worker, deadline_at, now, limited])?;
        }
        room -= tasks.len();
        granted.append(&mut tasks);
    }
    abort::pass(Point::GrabSent);
    Ok(granted)
}

/// How many more may run under these limits. The one writer sees them all.
fn cluster_room(db: &Db<'_>, path: &ClusterPath) -> Fallible<usize> {
    let mut room = usize::MAX;
    for (limit, max) in path.limits() {
        let running: Option<u32> =
            db.first(LIMITED, params![limit, ClusterPath::end(limit), max], |row| Ok(row.get(0)?))?;
        room = room.min(max.saturating_sub(running.unwrap_or(0)) as usize);
    }
    abort::pass(Point::LimitLocked);
    Ok(room)
}

/// Reads a ready task. Most have nothing but a payload, and a column that is not asked for costs nothing.
fn read(db: &Db<'_>, found: &rusqlite::Row<'_>, grab: &Grab, demand: &Demand) -> Fallible<Task> {
    let id = TaskId::from_uuid(Uuid::from_bytes(found.get(1)?));
    if found.get(13)?
        && let Some(row) = row::live(db, id)?
    {
        return Ok(row.task);
    }
    let format = Format::from_code(found.get(11)?).ok_or_else(|| Fault::unreadable("format"))?;
    let payload =
        Payload { bytes: found.get_ref(12)?.as_blob_or_null().ok().flatten().unwrap_or(&[]).into(), format };
    let mut new = NewTask::new(id, demand.kind.clone(), payload);
    new.bucket = grab.bucket.clone();
    new.priority = demand.priority;
    Ok(Task {
        due_at: Time::from_micros(found.get(2)?),
        ready_at: Time::from_micros(found.get(3)?),
        base_at: Time::from_micros(found.get(4)?),
        grant: Grant::from_i64(found.get(5)?),
        version: Version::from_i64(found.get(6)?),
        attempt: found.get(7)?,
        failures: found.get(8)?,
        lost: found.get(9)?,
        created_at: Time::from_micros(found.get(10)?),
        ..Task::added(new, found.get(0)?, db.now)
    })
}
