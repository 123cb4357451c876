//! Taking tasks, as far as they are there.

use crate::db::Db;
use crate::fault::Fallible;
use crate::row::{self, Names};
use rusqlite::params;
use steadfast_core::abort::{self, Point};
use steadfast_core::seam::Grab;
use steadfast_core::{Lane, Task};

/// What a lane reads and what it takes, over the same tasks.
const PLAIN: [&str; 2] = [include_str!("../sql/grab.sql"), include_str!("../sql/grab_take.sql")];
const SUSPECT: [&str; 2] =
    [include_str!("../sql/grab_suspect.sql"), include_str!("../sql/grab_suspect_take.sql")];

/// Takes what the demands ask for.
///
/// Whether the worker is alive is not asked: a grab that comes after its worker's death is reaped like any
/// other run without a live holder.
pub(crate) fn grab(db: &Db<'_>, grab: &Grab) -> Fallible<Vec<Task>> {
    let mut names = Names::default();
    let mut granted: Vec<Task> = Vec::new();
    for (demand, deadline) in &grab.demands {
        let [read, take] = if demand.lane == Lane::Suspect { SUSPECT } else { PLAIN };
        let (bucket, kind) = (grab.bucket.as_str(), demand.kind.as_str());
        let (priority, n) = (demand.priority.get(), i64::try_from(demand.n).unwrap_or(i64::MAX));
        let mut tasks = db.all(read, params![bucket, kind, priority, n], |found| {
            let mut task = row::read(found, &mut names)?.task;
            task.granted(grab.worker, *deadline, db.now);
            Ok(task)
        })?;
        if !tasks.is_empty() {
            let (worker, deadline_at) = (grab.worker.uuid().into_bytes(), db.now.after(*deadline).micros());
            db.execute(take, params![bucket, kind, priority, n, worker, deadline_at, db.now.micros()])?;
        }
        granted.append(&mut tasks);
    }
    abort::pass(Point::GrabSent);
    Ok(granted)
}
