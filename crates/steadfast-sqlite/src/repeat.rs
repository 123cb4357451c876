//! Adds whose key names a task already.

use crate::db::Db;
use crate::fault::Fallible;
use crate::{payload, row};
use steadfast_core::seam::Added;
use steadfast_core::{NewTask, Task, TaskId};

/// Keeps the first task, or gives it the new payload and time, or refuses, as the new one says.
pub(crate) fn meet(db: &Db<'_>, new: NewTask, first: TaskId) -> Fallible<Added> {
    new.check_first(Some(first))?;
    if let Some(mut row) = row::live(db, first)? {
        let old_len = row.task.payload_len;
        if new.replace(&mut row.task, db.now) {
            row::write(db, &row.task)?;
            payload::replace(db, &row.task, old_len, &new.payload)?;
            let (status, due_at) = (row.task.status, row.task.due_at);
            return Ok(Added { id: first, fresh: false, replaced: true, status, due_at });
        }
    }
    let task = Task::added(new, 0, db.now);
    Ok(Added { id: first, fresh: false, replaced: false, status: task.status, due_at: task.due_at })
}
