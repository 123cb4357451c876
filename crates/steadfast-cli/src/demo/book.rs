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
    /// When each run that was lost with its worker was ready again.
    pub(super) lost: Vec<Time>,
    /// When the tasks that had lost a run ran again, the first time.
    pub(super) again: Vec<Time>,
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
    let lost = times(&db, include_str!("sql/lost.sql"))?;
    Ok(Book { ends, lost, again: times(&db, include_str!("sql/again.sql"))? })
}

fn times(db: &Connection, sql: &str) -> Result<Vec<Time>> {
    let mut statement = db.prepare(sql)?;
    let times = statement.query_map([], |row| row.get(0))?;
    Ok(times.map(|micros| micros.map(Time::from_micros)).collect::<Result<_, _>>()?)
}

fn end((id, n): (String, i64)) -> Result<(TaskId, u64)> {
    Ok((id.parse()?, n.unsigned_abs()))
}

fn connect(file: &Path) -> Result<Connection> {
    let db = Connection::open(file).with_context(|| format!("cannot open {}", file.display()))?;
    db.busy_timeout(Duration::from_secs(10))?;
    Ok(db)
}
