//! Asks a SQLite database what happened.

use crate::cluster;
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use std::time::Duration;

pub(crate) use steadfast_sqlite::SqliteStore as Store;

/// A database that holds nothing.
pub(crate) const HOME: &str = "home";
/// The largest payload: what the engine is told to let through.
pub(crate) const PAYLOAD_BYTES_MAX: usize = 16 * 1024 * 1024;
/// What its store is called.
pub(crate) const STORE: &str = "sqlite";
/// What makes a witness keep every state of a task.
pub(crate) const ROWS: &str = include_str!("rows.sql");
/// What makes a witness of a database.
pub(crate) const WITNESS: &str = include_str!("witness.sql");
/// The clock of all processes, in seconds.
pub(crate) const NOW: &str = "select unixepoch('subsec')";
/// How long it waits for whoever writes.
const BUSY_MAX: Duration = Duration::from_secs(10);

/// A connection of the trial's own.
pub(crate) struct Client(Connection);

#[expect(clippy::unused_async, reason = "clients of servers wait for answers")]
impl Client {
    pub(crate) async fn open(address: &str, database: &str) -> rusqlite::Result<Self> {
        let connection = Connection::open(cluster::file(address, database))?;
        connection.busy_timeout(BUSY_MAX)?;
        Ok(Self(connection))
    }

    pub(crate) async fn run(&mut self, sql: &str) {
        self.0.execute_batch(sql).expect("it is done");
    }

    /// A file is made by whoever opens it first.
    pub(crate) async fn create_database(&mut self, _name: &str) {}

    /// Whether nobody holds the write lock for longer than a write takes.
    pub(crate) async fn none_open_since(&mut self, _time: f64) -> bool {
        self.0.execute_batch("begin immediate; rollback").is_ok()
    }

    /// The first row as texts; nothing is an empty one.
    pub(crate) async fn row(&mut self, sql: &str) -> Vec<String> {
        self.rows(sql).await.into_iter().next().expect("a row")
    }

    pub(crate) async fn rows(&mut self, sql: &str) -> Vec<Vec<String>> {
        let mut statement = self.0.prepare_cached(sql).expect("a statement");
        let columns = statement.column_count();
        let texts = |row: &rusqlite::Row<'_>| (0..columns).map(|at| row.get_ref(at).map(text)).collect();
        statement.query_map([], texts).expect("an answer").map(|row| row.expect("a row")).collect()
    }
}

fn text(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => String::new(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes).into_owned(),
    }
}
