//! The demo's own witness: triggers on the task table that write down what happened, whatever the workers say.

use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use steadfast::sqlite::rusqlite::Connection;
use steadfast::{TaskId, Time};

/// What the triggers wrote down.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Book {
    /// How often each task ended: accepted finishes that were its last.
    pub(super) ends: BTreeMap<TaskId, u64>,
    /// Runs that were lost with their worker.
    pub(super) lost: u64,
    /// When the last of them was ready again.
    pub(super) ready_again: Option<Time>,
    /// When the first of them ran again.
    pub(super) ran_again: Option<Time>,
}

/// Installs the triggers. The tables must be there, and no task yet.
pub(super) fn open(file: &Path) -> Result<()> {
    connect(file)?.execute_batch(include_str!("sql/watch.sql")).context("cannot watch the task table")
}

/// Reads what was written down.
pub(super) fn read(file: &Path) -> Result<Book> {
    let db = connect(file)?;
    let mut ends = db.prepare(include_str!("sql/ends.sql"))?;
    let ends = ends.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)))?;
    let ends = ends.map(|row| row.map_err(anyhow::Error::from).and_then(end)).collect::<Result<_>>()?;
    let (lost, ready_again, ran_again) = db.query_row(include_str!("sql/lost.sql"), [], |row| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, Option<i64>>(1)?, row.get::<_, Option<i64>>(2)?))
    })?;
    let time = |micros: Option<i64>| micros.map(Time::from_micros);
    Ok(Book { ends, lost: lost.unsigned_abs(), ready_again: time(ready_again), ran_again: time(ran_again) })
}

fn end((id, n): (String, i64)) -> Result<(TaskId, u64)> {
    Ok((id.parse()?, n.unsigned_abs()))
}

fn connect(file: &Path) -> Result<Connection> {
    let db = Connection::open(file).with_context(|| format!("cannot open {}", file.display()))?;
    db.busy_timeout(Duration::from_secs(10))?;
    Ok(db)
}
