//! Removing what is past its time, in bounded numbers.

use crate::db::Db;
use crate::fault::Fallible;
use crate::row::{self, Names, is_large};
use crate::{payload, search};
use std::time::Duration;
use steadfast_core::seam::{Clean, Cleaned};

const HISTORY: &str = include_str!("../sql/clean_history.sql");
const HISTORY_REMOVE: &str = include_str!("../sql/history_remove.sql");
const KEYS: &str = include_str!("../sql/clean_keys.sql");
const RECEIPTS: &str = include_str!("../sql/clean_receipts.sql");
const WORKERS: &str = include_str!("../sql/clean_workers.sql");
const RECALLS: &str = include_str!("../sql/clean_recalls.sql");

/// Removes at most `n_max` rows of each sort.
pub(crate) fn clean(db: &Db<'_>, clean: &Clean) -> Fallible<Cleaned> {
    let n_max = i64::try_from(clean.n_max).unwrap_or(i64::MAX);
    Ok(Cleaned {
        history: clean_history(db, clean.history, n_max)?,
        keys: db.execute(KEYS, [db.now.micros(), n_max])?,
        receipts: db.execute(RECEIPTS, [before(db, clean.receipts), n_max])?,
        workers: db.execute(WORKERS, [before(db, clean.workers), n_max])?,
        recalls: db.execute(RECALLS, [n_max])?,
    })
}

fn clean_history(db: &Db<'_>, keep: Duration, n_max: i64) -> Fallible<usize> {
    let mut names = Names::default();
    let old = db.all(HISTORY, [before(db, keep), n_max], |found| Ok(row::read(found, &mut names)?.task))?;
    for task in &old {
        db.execute(HISTORY_REMOVE, [task.id.uuid().into_bytes()])?;
        search::remove(db, task)?;
        if is_large(task.payload_len) {
            payload::remove(db, task.id)?;
        }
    }
    Ok(old.len())
}

/// What is older than this is past its time.
fn before(db: &Db<'_>, keep: Duration) -> i64 {
    db.now.micros().saturating_sub(i64::try_from(keep.as_micros()).unwrap_or(i64::MAX))
}
