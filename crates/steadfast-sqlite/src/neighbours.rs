//! Rows that lie side by side, as those of tasks do that were added together: they are changed by one statement over a
//! range, which is half the work of naming each of them.

use crate::db::Db;
use crate::extra::is_absent;
use crate::fault::Fallible;
use crate::row::is_large;
use rusqlite::params;
use steadfast_core::seam::{Cause, Finish};
use steadfast_core::{Fence, Grant, Retention, Task, Time, To, WorkerId};

const READ: &str = include_str!("../sql/neighbours_read.sql");
const DELETE: &str = include_str!("../sql/neighbours_delete.sql");
const TAKE: &str = include_str!("../sql/neighbours_take.sql");

/// Fewer rows are named: two statements for a few of them would cost more.
const ROWS_MIN: usize = 8;

/// Where the row of a run is, if nothing lies beside it: then its end may be written here.
pub(crate) fn place(task: &Task) -> Option<(Fence, i64)> {
    let alone = is_absent(task) && task.serial.is_none() && !is_large(task.payload_len);
    Some((task.fence()?, task.seq)).filter(|_| alone)
}

/// Writes down that tasks which were just read were granted, if they lie side by side; says whether it did.
pub(crate) fn take(db: &Db<'_>, tasks: &[Task], deadline_at: Time, limited: Option<&str>) -> Fallible<bool> {
    let ([first, .., last], Some(worker)) = (tasks, tasks.first().and_then(|task| task.worker)) else {
        return Ok(false);
    };
    if tasks.len() < ROWS_MIN || tasks.windows(2).any(|pair| pair[1].seq != pair[0].seq + 1) {
        return Ok(false);
    }
    let (worker, now) = (worker.uuid().into_bytes(), db.now.micros());
    db.execute(TAKE, params![first.seq, last.seq, worker, deadline_at.micros(), now, limited])?;
    Ok(true)
}

/// Ends runs that went well and leave nothing behind, where they are known to lie side by side; marks them. The seqs are
/// those that the runs had when they began, as far as somebody remembers.
pub(crate) fn end(
    db: &Db<'_>,
    finishes: &[Finish],
    seqs: &[Option<i64>],
    ended: &mut [bool],
) -> Fallible<()> {
    let place = |(at, (finish, seq)): (usize, (&Finish, &Option<i64>))| {
        let Fence { worker, grant, .. } = finish.fence;
        Some((worker, grant, (*seq)?, at)).filter(|_| leaves_nothing(finish))
    };
    let mut places: Vec<Place> = finishes.iter().zip(seqs).enumerate().filter_map(place).collect();
    places.sort_unstable();
    for side_by_side in places.chunk_by(is_next) {
        let ([first, .., last], true) = (side_by_side, side_by_side.len() >= ROWS_MIN) else { continue };
        let ((worker, grant, from, _), to) = (*first, last.2);
        let ids = db.all(READ, params![from, to, worker.uuid().into_bytes(), grant.get()], |row| {
            Ok(row.get::<_, [u8; 16]>(0)?)
        })?;
        let held = side_by_side.iter().map(|(.., at)| finishes[*at].fence.task.uuid().into_bytes());
        // A seq may be given again: whose row it is by now, only the id says.
        if held.eq(ids) {
            db.execute(DELETE, params![from, to])?;
            for (.., at) in side_by_side {
                ended[*at] = true;
            }
        }
    }
    Ok(())
}

/// Whose run it is, by which grant, its seq, and where it stands among the finishes.
type Place = (WorkerId, Grant, i64, usize);

fn is_next((worker, grant, seq, _): &Place, next: &Place) -> bool {
    (*worker, *grant, *seq + 1) == (next.0, next.1, next.2)
}

fn leaves_nothing(finish: &Finish) -> bool {
    finish.cause == Cause::Holder && finish.change.to == To::Done(Retention::Delete)
}
