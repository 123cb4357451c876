//! Keys: names that at most one task has, also for a while after it ended.

use crate::columns::{hex, id, list};
use crate::db::Db;
use crate::fault::{Fallible, Fault};
use crate::pool::Pool;
use crate::row;
use crate::sql::{Params, Sql, params};
use serde_json::json;
use std::collections::BTreeMap;
use steadfast_core::{Key, TaskId};

const TAKE: Sql = Sql(include_str!("../sql/key_take.sql"));
const GET: Sql = Sql(include_str!("../sql/key_get.sql"));
const LOOK_UP: Sql = Sql(include_str!("../sql/key_look_up.sql"));

/// Makes keys name tasks. For each that names another task already, says which; of two tasks with one key the
/// first gets it.
pub(crate) async fn take(db: &mut Db<'_>, wanted: &[(&Key, TaskId)]) -> Fallible<Vec<Option<TaskId>>> {
    // In order of the keys, so that two batches never wait for each other.
    let mut first: BTreeMap<&Key, TaskId> = BTreeMap::new();
    for (key, task) in wanted {
        first.entry(key).or_insert(*task);
    }
    if first.is_empty() {
        return Ok(Vec::new());
    }
    let row = |(key, task): (&&Key, &TaskId)| params![key.space.code(), key.name.as_str(), id(task.uuid())];
    let rows: Vec<Params> = first.iter().map(row).collect();
    let now = db.now.micros();
    db.insert(&TAKE, &rows, &params![now]).await?;
    // Whoever has them, the rows are locked by now: they stay as they are read.
    let keys = list(first.keys(), |key| json!([key.space.code(), hex(&key.name)]));
    let mut holders: BTreeMap<Key, TaskId> = BTreeMap::new();
    for row in &db.query(&GET, params![keys]).await? {
        let key = row::key_or_none(row, 0)?.ok_or_else(|| Fault::unreadable("key"))?;
        holders.insert(key, row.task_id(2)?);
    }
    Ok(wanted.iter().map(|(key, task)| holders.get(key).copied().filter(|holder| holder != task)).collect())
}

/// Which task a key names. One past its window names nobody, cleaned or not.
pub(crate) async fn look_up(pool: &Pool, key: &Key) -> Fallible<Option<TaskId>> {
    let given = params![key.space.code(), key.name.as_str(), pool.setting.now()];
    let rows = pool.read(&LOOK_UP, given).await?;
    rows.first().map(|row| row.task_id(0)).transpose()
}
