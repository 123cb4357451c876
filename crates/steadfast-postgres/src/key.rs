//! Keys: names that at most one task has, also for a while after it ended.

use crate::columns::column;
use crate::db::Db;
use crate::fault::Fallible;
use crate::pool::Pool;
use crate::row;
use crate::sql::Sql;
use std::collections::{BTreeMap, BTreeSet};
use steadfast_core::{Key, StoreError, TaskId};
use tokio_postgres::types::Type;
use uuid::Uuid;

const TAKE: Sql = Sql {
    name: "key_take",
    text: include_str!("../sql/key_take.sql"),
    types: &[Type::INT8, Type::INT2_ARRAY, Type::TEXT_ARRAY, Type::UUID_ARRAY],
};
const GET: Sql = Sql {
    name: "key_get",
    text: include_str!("../sql/key_get.sql"),
    types: &[Type::INT8, Type::INT2_ARRAY, Type::TEXT_ARRAY],
};

/// How often a key may slip away between being refused and being read.
const TRIES_MAX: usize = 5;

/// Makes keys name tasks. For each that names another task already, says which; of two tasks with one key the
/// first gets it.
pub(crate) async fn take(db: &Db<'_>, wanted: &[(&Key, TaskId)]) -> Fallible<Vec<Option<TaskId>>> {
    // In order of the keys, so that two batches never wait for each other.
    let mut open: BTreeMap<&Key, TaskId> = BTreeMap::new();
    for (key, id) in wanted {
        open.entry(key).or_insert(*id);
    }
    let mut holders: BTreeMap<&Key, TaskId> = BTreeMap::new();
    for _ in 0..TRIES_MAX {
        if open.is_empty() {
            break;
        }
        let keys: Vec<(&Key, TaskId)> = open.iter().map(|(key, id)| (*key, *id)).collect();
        let (spaces, names) =
            (column(&keys, |(key, _)| space(key)), column(&keys, |(key, _)| key.name.as_str()));
        let ids = column(&keys, |(_, id)| id.uuid());
        let taken = db.query(&TAKE, &[&db.now(), &spaces, &names, &ids]).await?;
        let taken: BTreeSet<Uuid> = taken.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?;
        holders.extend(keys.iter().filter(|(_, id)| taken.contains(&id.uuid())).copied());
        open.retain(|_, id| !taken.contains(&id.uuid()));
        for (key, holder) in named(db, &open.keys().copied().collect::<Vec<_>>()).await? {
            if let Some((key, _)) = open.remove_entry(&key) {
                holders.insert(key, holder);
            }
        }
    }
    if !open.is_empty() {
        return Err(StoreError::Busy("keys change hands too fast".into()).into());
    }
    Ok(wanted.iter().map(|(key, id)| holders.get(key).copied().filter(|holder| holder != id)).collect())
}

/// Which task a key names. One past its window names nobody, cleaned or not.
pub(crate) async fn look_up(pool: &Pool, key: &Key) -> Fallible<Option<TaskId>> {
    let rows = pool.read(&GET, &[&pool.now(), &vec![space(key)], &vec![key.name.as_str()]]).await?;
    let id = rows.first().map(|row| row.try_get(2)).transpose()?;
    Ok(id.map(TaskId::from_uuid))
}

async fn named(db: &Db<'_>, keys: &[&Key]) -> Fallible<Vec<(Key, TaskId)>> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let (spaces, names) = (column(keys, |key| space(key)), column(keys, |key| key.name.as_str()));
    let rows = db.query(&GET, &[&db.now(), &spaces, &names]).await?;
    rows.iter().map(|row| Ok((row::key_at(row, 0)?, TaskId::from_uuid(row.try_get(2)?)))).collect()
}

fn space(key: &Key) -> i16 {
    key.space.code().into()
}
