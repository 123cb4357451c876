//! The policies of kinds, for those who do not handle them.

use crate::db::Db;
use crate::fault::{Fallible, Fault};
use crate::row::text;
use rusqlite::params;
use steadfast_core::seam::KindRow;
use steadfast_core::{Kind, Policy, StoreError, WorkerId};
use uuid::Uuid;

const DECLARE: &str = include_str!("../sql/declare.sql");
const KINDS: &str = include_str!("../sql/kinds.sql");

/// Writes the policies of a program's kinds, each unless a newer build that is alive wrote it.
pub(crate) fn declare(db: &Db<'_>, worker: WorkerId, build: i64, kinds: &[(Kind, Policy)]) -> Fallible<()> {
    for (kind, policy) in kinds {
        let policy = serde_json::to_string(policy)
            .map_err(|fault| StoreError::Bug(format!("a policy has no JSON form: {fault}")))?;
        db.execute(DECLARE, params![kind.as_str(), policy, build, worker.uuid().into_bytes()])?;
    }
    Ok(())
}

/// The policies of all kinds.
pub(crate) fn kinds(db: &Db<'_>) -> Fallible<Vec<KindRow>> {
    db.all(KINDS, [], |row| {
        Ok(KindRow {
            kind: Kind::new(text(row, 0)?)?,
            policy: serde_json::from_str(text(row, 1)?).map_err(|_| Fault::unreadable("policy"))?,
            build: row.get(2)?,
            worker: WorkerId::from_uuid(Uuid::from_bytes(row.get(3)?)),
        })
    })
}
