//! What a store's calls cost its database, counted and not timed.

use crate::Result;
use crate::plain::Plain;
use steadfast_sqlite::{Call, SqliteStore};

/// The calls on a task's way. The others come with time, whatever runs.
const ON_THE_WAY: [Call; 5] = [Call::Look, Call::Grab, Call::Payload, Call::Finish, Call::Due];

/// The statements on a task's way, by the first line of their text.
const STATEMENTS: [&str; 6] = [
    include_str!("../../crates/steadfast-postgres/sql/look.sql"),
    include_str!("../../crates/steadfast-postgres/sql/look_behind.sql"),
    include_str!("../../crates/steadfast-postgres/sql/grab.sql"),
    include_str!("../../crates/steadfast-postgres/sql/grab_alone.sql"),
    include_str!("../../crates/steadfast-postgres/sql/done.sql"),
    include_str!("../../crates/steadfast-postgres/sql/due.sql"),
];

/// Counts what a session does from now on. Others are not counted: it has its price.
pub(crate) const TRACK: &str = "set pg_stat_statements.track = 'top'";
/// The same in a URL, for all sessions that it opens.
pub(crate) const TRACK_OPTION: &str = "options=-c%20pg_stat_statements.track%3Dtop";

const COUNTED: &str = "
    select query, calls, shared_blks_hit + shared_blks_read
    from public.pg_stat_statements
    where query like '--%' and query like $1";

/// Counts since it was made.
pub(crate) enum Counters {
    /// Steps of the database's machine.
    Sqlite(SqliteStore),
    /// Buffers that were looked into, from the cache or not, by statements on this schema.
    Postgres(String),
}

/// What all calls on the way cost.
#[derive(Debug, Clone, Copy, Default)]
struct Cost {
    work: u64,
    statements: u64,
}

/// Forgets what a server has counted.
pub(crate) fn reset(db: &Plain) -> Result<()> {
    db.batch(
        "create extension if not exists pg_stat_statements schema public; select public.pg_stat_statements_reset()",
    )
}

impl Counters {
    pub(crate) fn postgres(schema: &str) -> Result<Self> {
        reset(&Plain::open(schema)?)?;
        Ok(Self::Postgres(schema.to_owned()))
    }

    /// Work and statements for each of so many tasks; the error stream gets them by call.
    pub(crate) fn costs(&self, n: u32) -> Result<(f64, f64)> {
        let cost = match self {
            Self::Sqlite(store) => sqlite(store),
            Self::Postgres(schema) => postgres(schema)?,
        };
        // To the millionth, which needs no floating point of 64 bits: a statement serves hundreds of tasks.
        let each = |sum: u64| -> Result<f64> {
            Ok(f64::from(u32::try_from(sum.saturating_mul(1_000_000) / u64::from(n.max(1)))?) / 1e6)
        };
        Ok((each(cost.work)?, each(cost.statements)?))
    }
}

fn sqlite(store: &SqliteStore) -> Cost {
    let (mut all, counters) = (Cost::default(), store.counters());
    for call in ON_THE_WAY {
        let cost = counters.of(call);
        eprintln!("  {call:?}: {} calls, {} statements, {} steps", cost.calls, cost.statements, cost.steps);
        all.work += cost.steps;
        all.statements += cost.statements;
    }
    all
}

fn postgres(schema: &str) -> Result<Cost> {
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
