//! What a PostgreSQL server has counted, statement by statement.

use super::Cost;
use crate::Result;
use crate::plain::postgres::Plain;

/// The statements on a task's way, by the first line of their text.
const STATEMENTS: [&str; 12] = [
    include_str!("../../../crates/steadfast-postgres/sql/add.sql"),
    include_str!("../../../crates/steadfast-postgres/sql/add_alike.sql"),
    include_str!("../../../crates/steadfast-postgres/sql/add_alone.sql"),
    include_str!("../../../crates/steadfast-postgres/sql/add_bare.sql"),
    include_str!("../../../crates/steadfast-postgres/sql/bear_alike.sql"),
    include_str!("../../../crates/steadfast-postgres/sql/look.sql"),
    include_str!("../../../crates/steadfast-postgres/sql/look_behind.sql"),
    include_str!("../../../crates/steadfast-postgres/sql/grab.sql"),
    include_str!("../../../crates/steadfast-postgres/sql/grab_alike.sql"),
    include_str!("../../../crates/steadfast-postgres/sql/done.sql"),
    include_str!("../../../crates/steadfast-postgres/sql/done_bare.sql"),
    include_str!("../../../crates/steadfast-postgres/sql/due.sql"),
];

/// Counts what a session does from now on. Others are not counted: it has its price.
pub(crate) const TRACK: &str = "set pg_stat_statements.track = 'top'";
/// The same in a URL, for all sessions that it opens.
pub(crate) const TRACK_OPTION: &str = "options=-c%20pg_stat_statements.track%3Dtop";

const COUNTED: &str = "
    select query, calls, shared_blks_hit + shared_blks_read
    from public.pg_stat_statements
    where query like '--%' and query like $1";

/// Forgets what a server has counted.
pub(crate) fn reset(db: &Plain) -> Result<()> {
    db.batch(
        "create extension if not exists pg_stat_statements schema public; select public.pg_stat_statements_reset()",
    )
}

pub(super) fn begin(schema: &str) -> Result<()> {
    reset(&Plain::open(schema)?)
}

pub(super) fn costs(schema: &str) -> Result<Cost> {
    let mut all = Cost::default();
    for row in Plain::open(schema)?.ask(COUNTED, &[&format!("%{schema}.%")])? {
        let (query, calls, buffers): (&str, i64, i64) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
        let head = query.lines().next();
        if STATEMENTS.iter().any(|text| text.lines().next() == head) {
            eprintln!("  {}: {calls} statements, {buffers} buffers", head.unwrap_or_default());
            all.work += u64::try_from(buffers)?;
            all.statements += u64::try_from(calls)?;
        }
    }
    if all.statements == 0 {
        Err("the server has counted no statements of the store".into())
    } else {
        Ok(all)
    }
}
