//! Serial keys: one task at a time comes forward, in order of adding.

use crate::db::Db;
use crate::fault::Fallible;
use crate::note::Mover;
use crate::row::Names;
use rusqlite::params;
use std::time::Duration;
use steadfast_core::abort::{self, Point};
use steadfast_core::seam::Released;
use steadfast_core::{Notes, Status};

const NEXT: &str = include_str!("../sql/serial_next.sql");
const HEAD: &str = include_str!("../sql/serial_head.sql");
const FIRST: &str = include_str!("../sql/serial_first.sql");
const MOVE: &str = include_str!("../sql/serial_move.sql");

/// Lets the next task of each of these keys come forward.
pub(crate) fn release(db: &Db<'_>, keys: &[String]) -> Fallible<Released> {
    let mut notes = Notes::default();
    let mut due_in: Option<Duration> = None;
    for serial in keys {
        let Some(task) = come_forward(db, serial)? else { continue };
        if task.due_at > db.now {
            let wait = task.due_at.since(db.now);
            due_in = Some(due_in.map_or(wait, |least| least.min(wait)));
        } else {
            notes.add(&task.bucket, task.kind, task.priority, db.now, task.lane);
        }
    }
    abort::pass(Point::ReleaseSent);
    Ok(Released { notes: notes.by_bucket(), due_in, after: None })
}

/// The same for the next keys of the sweep.
pub(crate) fn release_slice(db: &Db<'_>, after: Option<String>, n_max: usize) -> Fallible<Released> {
    let mut keys: Vec<String> = Vec::new();
    let mut at = after.unwrap_or_default();
    while keys.len() <= n_max
        && let Some(serial) = db.first(NEXT, [&at], |row| Ok(row.get::<_, String>(0)?))?
    {
        at.clone_from(&serial);
        keys.push(serial);
    }
    let more = keys.len() > n_max;
    keys.truncate(n_max);
    let after = keys.last().filter(|_| more).cloned();
    Ok(Released { after, ..release(db, &keys)? })
}

/// A head that is not due yet waits and blocks its key all the same.
fn come_forward(db: &Db<'_>, serial: &str) -> Fallible<Option<Mover>> {
    if db.first(HEAD, [serial], |_| Ok(()))?.is_some() {
        return Ok(None);
    }
    let first = db.first(FIRST, [serial], |row| Mover::read(row, &mut Names::default()))?;
    if let Some(task) = &first {
        let status = if task.due_at > db.now { Status::Waiting } else { Status::Ready };
        let ready_at = task.due_at.max(db.now).micros();
        db.execute(MOVE, params![task.seq, status.code(), ready_at, db.now.micros()])?;
    }
    Ok(first)
}
