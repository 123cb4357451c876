//! The second floor: plain statements on the store's own tables, without the store and without the engine.
//!
//! They do to a row what the store does, a batch in one statement. What lies between this and the lean floor is the
//! price of the record; what lies between the engine and this is the price of the engine.

mod mysql;
mod postgres;
mod sqlite;

use crate::Result;
use crate::engine;
use crate::place::Place;
use crate::recorder::Recorder;
use mysql::MySqlRaw;
use postgres::PostgresRaw;
use sqlite::SqliteRaw;
use std::ops::Range;
use steadfast::Retention;

pub(crate) use mysql::{INSERT as MYSQL_INSERT, SETUP as MYSQL_SETUP};
pub(crate) use postgres::{INSERT as POSTGRES_INSERT, SETUP as POSTGRES_SETUP};

const NOW: i64 = 1_700_000_000_000_000;

/// The store's tables, through one plain connection.
pub(crate) trait Raw {
    /// One insert in a commit of its own.
    fn insert(&mut self, number: u32) -> Result<()>;

    /// Inserts in transactions of [`INSERT_BATCH`](crate::floor::INSERT_BATCH).
    fn insert_all(&mut self, numbers: Range<u32>) -> Result<()>;

    /// Takes up to [`CLAIM_BATCH`](crate::floor::CLAIM_BATCH) tasks in one commit, as many of each kind; says
    /// how many.
    fn grab(&mut self, recorder: &Recorder, kinds: &[&str]) -> Result<usize>;

    /// Ends what was grabbed last.
    fn end(&mut self, retention: Retention) -> Result<()>;

    /// Grabs and ends until nothing is left.
    fn drain(&mut self, recorder: &Recorder, kinds: &[&str], retention: Retention) -> Result<()> {
        while self.grab(recorder, kinds)? > 0 {
            self.end(retention)?;
        }
        Ok(())
    }
}

/// The store's tables, made if they are not there.
pub(crate) fn open(place: &Place) -> Result<Box<dyn Raw>> {
    engine::block_on(async { engine::open(place).await.map(drop) })?;
    Ok(match place {
        Place::File(path) => Box::new(SqliteRaw::open(path)?),
        Place::Schema(schema) => Box::new(PostgresRaw::open(schema)?),
        Place::Database(database) => Box::new(MySqlRaw::open(database)?),
    })
}

/// Says how a batch goes to the history: names and values of its columns. They are asked for, since they are the
/// store's to change.
fn moved(columns: &[String], now: &str) -> (String, String) {
    let value = |column: &String| match column.as_str() {
        "status" => "7".to_owned(),
        "due_at" | "changed_at" => now.to_owned(),
        _ => format!("\"{column}\""),
    };
    let names: Vec<String> = columns.iter().map(|column| format!("\"{column}\"")).collect();
    let values: Vec<String> = columns.iter().map(value).collect();
    (names.join(", "), values.join(", "))
}
