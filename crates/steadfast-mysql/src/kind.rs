//! The policies of kinds, for those who do not handle them.

use crate::cells::Cells;
use crate::columns::id;
use crate::db::Db;
use crate::fault::{Fallible, Fault};
use crate::pool::Pool;
use crate::sql::{Params, Sql, params};
use mysql_async::Row;
use std::collections::{BTreeMap, HashMap};
use steadfast_core::seam::KindRow;
use steadfast_core::{Kind, Policy, StoreError, WorkerId};

const LOCK: Sql = Sql(include_str!("../sql/kinds_lock.sql"));
const DECLARE: Sql = Sql(include_str!("../sql/declare.sql"));
const KINDS: Sql = Sql(include_str!("../sql/kinds.sql"));

/// Writes the policies of a program's kinds, each unless a newer build that is alive wrote it.
pub(crate) async fn declare(
    pool: &Pool,
    worker: WorkerId,
    build: i64,
    kinds: &[(Kind, Policy)],
) -> Fallible<()> {
    let no_json = |fault: serde_json::Error| StoreError::Bug(format!("a policy has no JSON form: {fault}"));
    // In order, and of two policies for one kind the last: it was said last.
    let mut policies: BTreeMap<&str, String> = BTreeMap::new();
    for (kind, policy) in kinds {
        policies.insert(kind.as_str(), serde_json::to_string(policy).map_err(no_json)?);
    }
    if policies.is_empty() {
        return Ok(());
    }
    let mut tx = pool.begin().await?;
    let result = write(&mut tx.db(), worker, build, policies).await;
    tx.end(result).await
}

async fn write(
    db: &mut Db<'_>,
    worker: WorkerId,
    build: i64,
    policies: BTreeMap<&str, String>,
) -> Fallible<()> {
    let found = db.query(&LOCK, params![]).await?;
    let mut newer: HashMap<&str, bool> = HashMap::new();
    for row in &found {
        newer.insert(row.text(0)?, row.int(1)? > build && row.flag(2)?);
    }
    let ours = policies.into_iter().filter(|(kind, _)| !newer.get(kind).copied().unwrap_or(false));
    let row = |(kind, policy): (&str, String)| params![kind, policy, build, id(worker.uuid())];
    let rows: Vec<Params> = ours.map(row).collect();
    db.insert(&DECLARE, &rows, &Params::new()).await?;
    Ok(())
}

/// The policies of all kinds.
pub(crate) async fn kinds(pool: &Pool) -> Fallible<Vec<KindRow>> {
    let read = |row: &Row| {
        Ok(KindRow {
            kind: Kind::new(row.text(0)?)?,
            policy: serde_json::from_str(row.text(1)?).map_err(|_| Fault::unreadable("policy"))?,
            build: row.int(2)?,
            worker: row.worker_id(3)?,
        })
    };
    pool.read(&KINDS, params![]).await?.iter().map(read).collect()
}
