//! The policies of kinds, for those who do not handle them.

use crate::cells::Cells;
use crate::columns::id;
use crate::db::Db;
use crate::fault::{Fallible, Fault};
use crate::pool::Pool;
use crate::sql::{Params, Sql, params};
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
    let mut mark = db.now.micros();
    for row in &found {
        newer.insert(row.text(0)?, row.int(1)? > build && row.flag(2)?);
        // Higher than all others, also if the clock went back.
        mark = mark.max(row.int(3)? + 1);
    }
    let ours = policies.into_iter().filter(|(kind, _)| !newer.get(kind).copied().unwrap_or(false));
    let row = |(kind, policy): (&str, String)| params![kind, policy, build, id(worker.uuid()), mark];
    let rows: Vec<Params> = ours.map(row).collect();
    db.insert(&DECLARE, &rows, &Params::new()).await?;
    Ok(())
}

/// The policies of all kinds.
pub(crate) async fn kinds(pool: &Pool) -> Fallible<Vec<KindRow>> {
    if let Some(kinds) = pool.setting.quiet.kinds() {
        return Ok(kinds);
    }
    let mut mark = 0;
    let mut read = |row: &Cells| {
        mark = mark.max(row.int(4)?);
        Ok(KindRow {
            kind: Kind::new(row.text(0)?)?,
            policy: serde_json::from_str(row.text(1)?).map_err(|_| Fault::unreadable("policy"))?,
            build: row.int(2)?,
            worker: row.worker_id(3)?,
        })
    };
    let found = pool.read(&KINDS, params![]).await?;
    let kinds: Vec<KindRow> = found.iter().map(&mut read).collect::<Fallible<_>>()?;
    pool.setting.quiet.read_kinds(mark, &kinds);
    Ok(kinds)
}
