//! Adds whose key names a task already.

use crate::act::LIVE_LOCK;
use crate::columns::ids;
use crate::db::Db;
use crate::fault::Fallible;
use crate::row::{self, Written};
use crate::sql::params;
use steadfast_core::seam::Added;
use steadfast_core::{NewTask, Repeat};

/// Gives the first tasks of their keys the payloads and times of those that want to replace them, one after another:
/// two of them may be of one key. Who ends such a task at the same time waits for the key and we for its row; the
/// server ends one of the two, and the add is repeated.
pub(crate) async fn replace(db: &mut Db<'_>, tasks: &[NewTask], added: &mut [Added]) -> Fallible<()> {
    for (new, added) in tasks.iter().zip(added) {
        if added.fresh || new.on_repeat != Repeat::Replace {
            continue;
        }
        let rows = db.query(&LIVE_LOCK, params![ids([added.id])]).await?;
        let Some(mut task) = row::read_all(&rows)?.pop() else { continue };
        if new.replace(&mut task, db.now) {
            (added.replaced, added.status, added.due_at) = (true, task.status, task.due_at);
            row::write(db, &[Written { task, payload: Some(new.payload.clone()) }]).await?;
        }
    }
    Ok(())
}
