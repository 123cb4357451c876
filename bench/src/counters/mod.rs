//! What a store's calls cost its database, counted and not timed.

pub(crate) mod mysql;
pub(crate) mod postgres;

use crate::Result;
use crate::sample::Sample;
use steadfast_sqlite::{Call, SqliteStore};

/// The calls on a task's way. The others come with time, whatever runs.
const ON_THE_WAY: [Call; 5] = [Call::Look, Call::Grab, Call::Payload, Call::Finish, Call::Due];

/// Counts since it was made.
pub(crate) enum Counters {
    /// Steps of the database's machine.
    Sqlite(SqliteStore),
    /// Buffers that were looked into, from the cache or not, by statements on this schema.
    Postgres(String),
    /// Rows that were asked for by anybody: what the server had counted before.
    MySql(Cost),
}

/// What all calls on the way cost.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cost {
    work: u64,
    statements: u64,
}

impl Counters {
    pub(crate) fn postgres(schema: &str) -> Result<Self> {
        postgres::begin(schema)?;
        Ok(Self::Postgres(schema.to_owned()))
    }

    pub(crate) fn mysql() -> Result<Self> {
        Ok(Self::MySql(mysql::so_far()?))
    }

    /// Work and statements for each of so many tasks; the error stream gets them by call.
    pub(crate) fn costs(&self, n: u32) -> Result<(f64, f64)> {
        let cost = match self {
            Self::Sqlite(store) => sqlite(store),
            Self::Postgres(schema) => postgres::costs(schema)?,
            Self::MySql(before) => mysql::so_far()?.since(*before),
        };
        // To the millionth, which needs no floating point of 64 bits: a statement serves hundreds of tasks.
        let each = |sum: u64| -> Result<f64> {
            Ok(f64::from(u32::try_from(sum.saturating_mul(1_000_000) / u64::from(n.max(1)))?) / 1e6)
        };
        Ok((each(cost.work)?, each(cost.statements)?))
    }
}

/// With the statements of each task, where they were counted.
pub(crate) fn with_statements(sample: Sample, counters: Option<&Counters>) -> Result<Sample> {
    let Some(counters) = counters else { return Ok(sample) };
    let (_, statements) = counters.costs(sample.n)?;
    Ok(Sample { statements: Some(statements), ..sample })
}

impl Cost {
    const fn since(self, before: Self) -> Self {
        Self { work: self.work - before.work, statements: self.statements - before.statements }
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
