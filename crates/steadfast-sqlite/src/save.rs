//! Where runs stand.

use crate::db::Db;
use crate::fault::Fallible;
use crate::finish::fenced;
use crate::payload;
use rusqlite::params;
use steadfast_core::Version;
use steadfast_core::seam::{Save, Saved};

const SAVE: &str = include_str!("../sql/save.sql");

/// Writes down where runs stand, each if its fence still holds.
pub(crate) fn save(db: &Db<'_>, saves: &[Save]) -> Fallible<Vec<Saved>> {
    saves.iter().map(|save| save_one(db, save)).collect()
}

fn save_one(db: &Db<'_>, save: &Save) -> Fallible<Saved> {
    if let Some(given) = &save.payload {
        let Some(row) = fenced(db, save.fence)? else { return Ok(Saved::Lost) };
        payload::replace(db, &row.task, row.task.payload_len, given)?;
    }
    let (task, worker) = (save.fence.task.uuid(), save.fence.worker.uuid());
    let given = params![
        task.as_bytes(),
        save.fence.grant.get(),
        worker.as_bytes(),
        save.step,
        save.progress,
        save.deadline.map(|deadline| db.now.after(deadline).micros()),
        save.progressed,
        save.step.is_some() || save.payload.is_some(),
        db.now.micros(),
    ];
    let version = db.first(SAVE, given, |row| Ok(Version::from_i64(row.get(0)?)))?;
    Ok(version.map_or(Saved::Lost, Saved::Kept))
}
