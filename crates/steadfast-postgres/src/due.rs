//! What was waiting and has come due.

use crate::columns::{rows, unrows};
use crate::fault::Fallible;
use crate::look;
use crate::mark::{Line, Mark};
use crate::note::Moved;
use crate::pool::Pool;
use crate::row::Names;
use crate::sql::Sql;
use steadfast_core::Notes;
use steadfast_core::seam::Due;
use tokio_postgres::types::Type;

const DUE: Sql = Sql {
    name: "due",
    text: include_str!("../sql/due.sql"),
    types: &[Type::INT8, Type::INT8, Type::INT8, Type::INT8],
};
const NEXT: Sql = Sql { name: "due_next", text: include_str!("../sql/due_next.sql"), types: &[Type::INT8] };
/// Where the statement says what time it is, and how many it found.
const CLOCK: usize = 5;
const FOUND: usize = 7;
/// Where it says the place of a task that it moved.
const SEQ: usize = 8;

/// Makes up to `n_max` waiting tasks ready whose time has come.
pub(crate) async fn due(pool: &Pool, n_max: usize) -> Fallible<Due> {
    let (mut notes, mut names) = (Notes::default(), Names::default());
    let began = pool.marks.begin(&Line::Due);
    let found = pool.run(&DUE, &[&pool.now(), &rows(n_max), &began.at, &began.seq]).await?;
    let Some((clock, moved)) = found.split_last() else { return Ok(Due::default()) };
    let mut last = began;
    for row in moved {
        let task = Moved::read(row, &mut names)?;
        // The claim's order is when it was due, not when a sweep noticed.
        notes.add(&task.bucket, task.kind, task.priority, task.due_at, task.lane);
        last = last.max(Mark { at: task.due_at.micros(), seq: row.try_get(SEQ)? });
    }
    pool.marks.reach(Line::Due, began, last, clock.try_get(CLOCK)?);
    let picked = unrows(clock.try_get(FOUND)?);
    let next_in = if picked < n_max && picked == moved.len() {
        look::due_in(clock, CLOCK)?
    } else {
        // There are more whose time has come, or may be.
        let next = pool.read(&NEXT, &[&pool.now()]).await?;
        next.first().map(|row| look::due_in(row, 0)).transpose()?.flatten()
    };
    Ok(Due { notes: notes.by_bucket(), next_in })
}
