//! The policies of kinds, for those who do not handle them.

use crate::audience::Audience;
use crate::fault::{Fallible, Fault};
use crate::pool::Pool;
use crate::sql::Sql;
use std::collections::BTreeMap;
use std::time::Instant;
use steadfast_core::seam::KindRow;
use steadfast_core::{Kind, Policy, StoreError, WorkerId};
use tokio_postgres::types::Type;

const DECLARE: Sql = Sql {
    name: "declare",
    text: include_str!("../sql/declare.sql"),
    types: &[Type::TEXT_ARRAY, Type::TEXT_ARRAY, Type::INT8, Type::UUID],
};
pub(crate) const KINDS: Sql =
    Sql { name: "kinds", text: include_str!("../sql/kinds.sql"), types: &[Type::INT8, Type::UUID_ARRAY] };

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
    if !policies.is_empty() {
        let (names, texts): (Vec<&str>, Vec<String>) = policies.into_iter().unzip();
        pool.run(&DECLARE, &[&names, &texts, &build, &worker.uuid()]).await?;
    }
    Ok(())
}

/// The policies of all kinds. Whoever reads them learns by the way whether others would hear a ring.
pub(crate) async fn kinds(pool: &Pool, audience: &Audience) -> Fallible<Vec<KindRow>> {
    let asked_at = Instant::now();
    let rows = pool.read(&KINDS, &[&pool.now(), &audience.own()]).await?;
    let Some((last, rows)) = rows.split_last() else { return Err(Fault::unreadable("kinds")) };
    audience.tell(last.try_get(4)?, asked_at);
    let read = |row: &tokio_postgres::Row| {
        Ok(KindRow {
            kind: Kind::new(row.try_get::<_, &str>(0)?)?,
            policy: serde_json::from_str(row.try_get(1)?).map_err(|_| Fault::unreadable("policy"))?,
            build: row.try_get(2)?,
            worker: WorkerId::from_uuid(row.try_get(3)?),
        })
    };
    rows.iter().map(read).collect()
}
