//! Adds whose key names a task already.

use crate::act::LIVE_LOCK;
use crate::db::Db;
use crate::fault::Fallible;
use crate::row::{self, Names, WIDTH, Written};
use steadfast_core::seam::Added;
use steadfast_core::{NewTask, Repeat, Task, TaskId, Time};

/// Gives the first tasks of their keys the payloads and times of those that want to replace them, one after another:
/// two of them may be of one key. Who ends such a task at the same time waits for the key and we for its row; the
/// server ends one of the two, and the add is repeated.
pub(crate) async fn replace(db: &Db<'_>, tasks: &[NewTask], added: &mut [Added]) -> Fallible<()> {
    for (new, added) in tasks.iter().zip(added) {
        if added.fresh || new.on_repeat != Repeat::Replace {
            continue;
        }
        let Some((mut task, now)) = lock(db, added.id).await? else { continue };
        if new.replace(&mut task, now) {
            (added.replaced, added.status, added.due_at) = (true, task.status, task.due_at);
            row::write(db, &[Written { task, payload: Some(new.payload.clone()) }]).await?;
        }
    }
    Ok(())
}

async fn lock(db: &Db<'_>, id: TaskId) -> Fallible<Option<(Task, Time)>> {
    let rows = db.query(&LIVE_LOCK, &[&db.now(), &vec![id.uuid()]]).await?;
    let Some(found) = rows.first() else { return Ok(None) };
    Ok(Some((row::read(found, &mut Names::default())?, Time::from_micros(found.try_get(WIDTH)?))))
}
