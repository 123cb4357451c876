//! What was waiting and has come due.

use crate::cells::only;
use crate::columns::{ids, rows};
use crate::db::Db;
use crate::fault::Fallible;
use crate::note::Moved;
use crate::pool::Pool;
use crate::sql::{Sql, params};
use std::time::Duration;
use steadfast_core::seam::Due;
use steadfast_core::{Notes, Time};

const DUE: Sql = Sql(include_str!("../sql/due.sql"));
const MOVE: Sql = Sql(include_str!("../sql/due_move.sql"));
const NEXT: Sql = Sql(include_str!("../sql/due_next.sql"));

/// Makes up to `n_max` waiting tasks ready whose time has come. When none is due, one question says so.
pub(crate) async fn due(pool: &Pool, n_max: usize) -> Fallible<Due> {
    let next_in = next_in(pool).await?;
    if next_in != Some(Duration::ZERO) {
        return Ok(Due { next_in, ..Due::default() });
    }
    let mut tx = pool.begin().await?;
    let moved = move_due(&mut tx.db(), n_max).await;
    let mut notes = Notes::default();
    for task in tx.end(moved).await? {
        // The claim's order is when it was due, not when a sweep noticed.
        notes.add(&task.bucket, task.kind, task.priority, task.due_at, task.lane);
    }
    Ok(Due { notes: notes.by_bucket(), next_in: self::next_in(pool).await?, ..Due::default() })
}

/// How long until the next waiting task is due.
pub(crate) async fn next_in(pool: &Pool) -> Fallible<Option<Duration>> {
    if let Some(sight) = pool.setting.quiet.sight() {
        return Ok(sight.due_in());
    }
    let found = pool.read(&NEXT, params![pool.setting.now()]).await?;
    let row = only(&found)?;
    let now = row.time(0)?;
    Ok(row.int_or_none(1)?.map(|next_at| Time::from_micros(next_at).since(now)))
}

async fn move_due(db: &mut Db<'_>, n_max: usize) -> Fallible<Vec<Moved>> {
    let now = db.now.micros();
    let moved = Moved::read_all(&db.query(&DUE, params![now, rows(n_max)]).await?)?;
    if !moved.is_empty() {
        db.execute(&MOVE, params![ids(moved.iter().map(|task| task.id)), now]).await?;
    }
    Ok(moved)
}
