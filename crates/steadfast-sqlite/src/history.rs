//! Tasks that ended: how they leave the living, and how they come back.

use crate::db::Db;
use crate::fault::Fallible;
use crate::row::{self, Row, is_large};
use crate::{key, payload, search};
use steadfast_core::Retention;

const MOVE: &str = include_str!("../sql/history_move.sql");
const BARE: &str = include_str!("../sql/history_bare.sql");
const BACK: &str = include_str!("../sql/history_back.sql");
const REMOVE: &str = include_str!("../sql/history_remove.sql");
const REMOVE_LIVE: &str = include_str!("../sql/remove.sql");

/// Takes a task out of the living ones, keeps of it what is to be kept, and starts its key's window. Its row
/// was written back for the last time.
pub(crate) fn enter(db: &Db<'_>, row: &Row, retention: Retention) -> Fallible<()> {
    match retention {
        Retention::History => db.execute(MOVE, [row.task.seq])?,
        Retention::Bare => db.execute(BARE, [row.task.seq])?,
        Retention::Delete => {
            search::remove(db, &row.task)?;
            0
        }
    };
    db.execute(REMOVE_LIVE, [row.task.seq])?;
    if retention != Retention::History && is_large(row.task.payload_len) {
        payload::remove(db, row.task.id)?;
    }
    key::end(db, row)
}

/// Brings an ended task back among the living ones, at the end of the order.
pub(crate) fn leave(db: &Db<'_>, mut row: Row) -> Fallible<()> {
    let id = row.task.id.uuid();
    db.execute(BACK, [id.as_bytes()])?;
    row.task.seq = db.last_seq();
    db.execute(REMOVE, [id.as_bytes()])?;
    row::write(db, &row.task)?;
    if row.task.payload.is_none() {
        // An empty payload is never gone, whatever was kept.
        payload::replace(db, &row.task, 0, &steadfast_core::Payload::default())?;
    }
    Ok(())
}
