//! Rows that lie side by side, as those of tasks do that were added together: they are changed by one statement over a
//! range, which is half the work of naming each of them.

use crate::db::Db;
use crate::fault::Fallible;
use rusqlite::params;
use steadfast_core::seam::{Cause, Finish};
use steadfast_core::{Fence, Retention, Task, Time, To};

const READ: &str = include_str!("../sql/stretch_read.sql");
const DELETE: &str = include_str!("../sql/stretch_delete.sql");
const TAKE: &str = include_str!("../sql/stretch_take.sql");

/// Fewer rows are named: two statements for a few of them would cost more.
const ROWS_MIN: usize = 8;

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
    let place =
        |(at, seq): (usize, &Option<i64>)| Some(((*seq)?, at)).filter(|_| leaves_nothing(&finishes[at]));
    let mut places: Vec<(i64, usize)> = seqs.iter().enumerate().filter_map(place).collect();
    // Nearly all have one worker and one grant in common.
    let Some(first) = places.first().map(|(_, at)| finishes[*at].fence) else { return Ok(()) };
    let alike = |fence: Fence| (fence.worker, fence.grant) == (first.worker, first.grant);
    places.retain(|(_, at)| alike(finishes[*at].fence));
    places.sort_unstable();
    for stretch in places.chunk_by(|left, right| right.0 == left.0 + 1) {
        let ([(from, _), .., (to, _)], true) = (stretch, stretch.len() >= ROWS_MIN) else { continue };
        let at = params![from, to, first.worker.uuid().into_bytes(), first.grant.get()];
        let ids = db.all(READ, at, |row| Ok(row.get::<_, [u8; 16]>(0)?))?;
        let held = stretch.iter().map(|(_, at)| *finishes[*at].fence.task.uuid().as_bytes());
        // A seq may be given again: whose row it is by now, only the id says.
        if held.eq(ids) {
            db.execute(DELETE, params![from, to])?;
            for (_, at) in stretch {
                ended[*at] = true;
            }
        }
    }
    Ok(())
}

fn leaves_nothing(finish: &Finish) -> bool {
    finish.cause == Cause::Holder && finish.change.to == To::Done(Retention::Delete)
}
