//! Tasks that a sweep has to move.

use crate::db::Db;
use crate::fault::Fallible;
use crate::row::{self, Names};
use crate::worker;
use rusqlite::{Params, params};
use steadfast_core::WorkerId;
use steadfast_core::seam::{Cause, Stray};
use uuid::Uuid;

const MARK: &str = include_str!("../sql/workers_mark.sql");
const HOLDER_NEXT: &str = include_str!("../sql/holder_next.sql");
const DEAD: &str = include_str!("../sql/strays_dead.sql");
const HUNG: &str = include_str!("../sql/strays_hung.sql");
const PARKED: &str = include_str!("../sql/strays_parked.sql");

/// Marks workers whose lease ended, then lists the tasks that a sweep has to move.
pub(crate) fn strays(db: &Db<'_>, by: WorkerId, n_max: usize) -> Fallible<Vec<Stray>> {
    db.execute(MARK, params![db.now.micros(), by.uuid().into_bytes()])?;
    let (live, dead) = holders(db)?;
    let now = db.now.micros();
    let mut strays = Vec::new();
    for worker in dead {
        let left = left(n_max, &strays);
        list(db, &mut strays, DEAD, params![worker.uuid().into_bytes(), left], Cause::Dead)?;
    }
    for worker in live {
        let left = left(n_max, &strays);
        list(db, &mut strays, HUNG, params![worker.uuid().into_bytes(), now, left], Cause::Overdue)?;
    }
    let left = left(n_max, &strays);
    list(db, &mut strays, PARKED, params![now, left], Cause::Overdue)?;
    Ok(strays)
}

/// Those who hold running tasks, the living and the others.
///
/// They are read from the running tasks, one seek each, and not from the worker table: a birth that came after
/// its worker's end is found all the same.
fn holders(db: &Db<'_>) -> Fallible<(Vec<WorkerId>, Vec<WorkerId>)> {
    let (mut live, mut dead) = (Vec::new(), Vec::new());
    let mut at = Vec::new();
    while let Some(id) = db.first(HOLDER_NEXT, [&at], |row| Ok(row.get::<_, [u8; 16]>(0)?))? {
        let worker = WorkerId::from_uuid(Uuid::from_bytes(id));
        let side = if worker::lives(db, worker)? { &mut live } else { &mut dead };
        side.push(worker);
        at = id.to_vec();
    }
    Ok((live, dead))
}

fn left(n_max: usize, strays: &[Stray]) -> i64 {
    i64::try_from(n_max - strays.len()).unwrap_or(i64::MAX)
}

fn list(db: &Db<'_>, strays: &mut Vec<Stray>, sql: &str, params: impl Params, cause: Cause) -> Fallible<()> {
    let mut names = Names::default();
    strays
        .extend(db.all(sql, params, |found| Ok(Stray { task: row::read(found, &mut names)?.task, cause }))?);
    Ok(())
}
