//! Runs that end the short way, many at once: they went well, nothing else changes, and nothing lies beside
//! their rows. They are found, moved and removed by thirty-two, since every statement opens every index.

use crate::db::Db;
use crate::fault::Fallible;
use rusqlite::params_from_iter;
use steadfast_core::seam::{Cause, Finish};
use steadfast_core::{Change, Fence, Retention, To};

const READ: &str = include_str!("../sql/ending.sql");
const MOVE: &str = include_str!("../sql/ending_move.sql");
const DELETE: &str = include_str!("../sql/ending_delete.sql");

/// Rows of the statements.
pub(crate) const ROWS: usize = 32;

/// What decides whether a run may end the short way.
struct Sight {
    seq: i64,
    attempt: u32,
    failures: u32,
    lost: u32,
    /// It has no key and nothing to be looked up by but a serial key.
    no_extra: bool,
    /// It has no serial key and no large payload.
    alone: bool,
}

/// Ends those of up to [`ROWS`] runs that may end the short way and have not ended yet; marks them. No task may be
/// named twice.
pub(crate) fn end(db: &Db<'_>, finishes: &[Finish], ended: &mut [bool]) -> Fallible<()> {
    if !finishes.iter().zip(&*ended).any(|(finish, ended)| !ended && may_end_shortly(finish)) {
        return Ok(());
    }
    let (mut moved, mut deleted) = (Vec::new(), Vec::new());
    let sights = read(db, finishes, ended)?;
    for ((finish, sight), ended) in finishes.iter().zip(&sights).zip(ended) {
        match (sight, finish.change.to) {
            _ if *ended || !may_end_shortly(finish) => {}
            (Some(sight), To::Done(Retention::Delete)) if sight.no_extra && sight.alone => {
                deleted.push(sight.seq);
                *ended = true;
            }
            (Some(sight), To::Done(Retention::History))
                if sight.no_extra && changes_nothing(&finish.change, sight) =>
            {
                moved.push(sight.seq);
                *ended = true;
            }
            _ => {}
        }
    }
    if !moved.is_empty() {
        let now = std::iter::once(Some(db.now.micros()));
        db.execute(MOVE, params_from_iter(padded(&moved).chain(now)))?;
    }
    deleted.append(&mut moved);
    if !deleted.is_empty() {
        db.execute(DELETE, params_from_iter(padded(&deleted)))?;
    }
    Ok(())
}

fn may_end_shortly(finish: &Finish) -> bool {
    finish.cause == Cause::Holder
        && matches!(finish.change.to, To::Done(Retention::Delete | Retention::History))
}

fn changes_nothing(change: &Change, sight: &Sight) -> bool {
    change.attempt == sight.attempt
        && change.failures == sight.failures
        && change.lost == sight.lost
        && change.errors.is_none()
        && change.output.is_none()
        && change.kind.is_none()
        && change.step.is_none()
        && change.payload.is_none()
}

/// What the fences hold of those that have not ended yet, in the order of the finishes. None means that the grant is
/// lost.
fn read(db: &Db<'_>, finishes: &[Finish], ended: &[bool]) -> Fallible<Vec<Option<Sight>>> {
    let mut sights: Vec<Option<Sight>> = finishes.iter().map(|_| None).collect();
    let mut statement = db.prepare(READ)?;
    for at in 0..ROWS {
        let open = finishes.get(at).zip(ended.get(at)).filter(|(_, ended)| !**ended);
        let id = open.map(|(finish, _)| finish.fence.task.uuid().into_bytes());
        statement.raw_bind_parameter(at + 1, id)?;
    }
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next()? {
        let (id, worker) = (row.get_ref(0)?.as_blob_or_null(), row.get_ref(3)?.as_blob_or_null());
        let (Ok(Some(id)), Ok(Some(worker)), grant) = (id, worker, row.get::<_, i64>(2)?) else { continue };
        let holds = |fence: Fence| {
            fence.task.uuid().as_bytes() == id
                && fence.grant.get() == grant
                && fence.worker.uuid().as_bytes() == worker
        };
        if let Some(at) = finishes.iter().position(|finish| holds(finish.fence)) {
            sights[at] = Some(Sight {
                seq: row.get(1)?,
                attempt: row.get(4)?,
                failures: row.get(5)?,
                lost: row.get(6)?,
                no_extra: row.get(7)?,
                alone: row.get(8)?,
            });
        }
    }
    Ok(sights)
}

/// As many as the statements name. What is not there is null, and no row is null.
fn padded(seqs: &[i64]) -> impl Iterator<Item = Option<i64>> {
    (0..ROWS).map(|at| seqs.get(at).copied())
}
