//! Where runs stand.

use crate::columns::{hex, hex_id, list, rounds};
use crate::db::Db;
use crate::fault::Fallible;
use crate::finish::fence_row;
use crate::pool::Pool;
use crate::row;
use crate::sql::{Sql, params};
use serde_json::json;
use std::collections::HashMap;
use steadfast_core::seam::{Save, Saved};
use steadfast_core::{TaskId, Version};

const FENCED: Sql = Sql(include_str!("../sql/fenced.sql"));
const SAVE: Sql = Sql(include_str!("../sql/save.sql"));

/// Where the version stands among the columns of a fenced task.
const VERSION: usize = 8;

/// Writes down where runs stand, each if its fence still holds.
pub(crate) async fn save(pool: &Pool, saves: &[Save]) -> Fallible<Vec<Saved>> {
    let mut answers = vec![Saved::Lost; saves.len()];
    let mut tx = pool.begin().await?;
    let result = async {
        for round in rounds(saves, |save| save.fence.task) {
            save_round(&mut tx.db(), saves, &round, &mut answers).await?;
        }
        Ok(())
    }
    .await;
    tx.end(result).await?;
    Ok(answers)
}

async fn save_round(
    db: &mut Db<'_>,
    saves: &[Save],
    places: &[usize],
    answers: &mut [Saved],
) -> Fallible<()> {
    let fences = list(places, |at| fence_row(&saves[*at].fence));
    let mut versions: HashMap<TaskId, i64> = HashMap::new();
    for row in &db.query(&FENCED, params![fences]).await? {
        versions.insert(row.task_id(0)?, row.int(VERSION)?);
    }
    let mut held = Vec::new();
    for at in places {
        let save = &saves[*at];
        if let Some(version) = versions.get(&save.fence.task) {
            let changed = i64::from(is_change(save));
            answers[*at] = Saved::Kept(Version::from_i64(version + changed));
            held.push(save);
        }
    }
    if held.is_empty() {
        return Ok(());
    }
    let now = db.now;
    let row = |save: &&Save| {
        json!([
            hex_id(save.fence.task.uuid()),
            save.step.as_ref().map(hex),
            save.progress.as_ref().map(hex),
            save.deadline.map(|deadline| now.after(deadline).micros()),
            u8::from(save.progressed),
            u8::from(is_change(save)),
        ])
    };
    db.execute(&SAVE, params![list(&held, row), now.micros()]).await?;
    for save in held {
        if let Some(payload) = &save.payload {
            row::write_payload(db, save.fence.task, payload).await?;
        }
    }
    Ok(())
}

/// Whether outsiders see it.
fn is_change(save: &Save) -> bool {
    save.step.is_some() || save.payload.is_some()
}
