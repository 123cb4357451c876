//! The schema: forward only, and safe when several programs open a file at once.

use crate::fault::Fallible;
use crate::open::patiently;
use rusqlite::{Connection, OptionalExtension};
use steadfast_core::Refusal;

/// The steps, oldest first. A step that was released is never changed.
const STEPS: [&str; 1] = [include_str!("../migrations/0001_tasks.sql")];

/// How many steps this build knows.
pub(crate) const KNOWN: usize = STEPS.len();

const EXISTS: &str = include_str!("../sql/setup/schema_exists.sql");
const VERSION: &str = include_str!("../sql/setup/schema_version.sql");
const START: &str = include_str!("../sql/setup/schema_start.sql");
const SET: &str = include_str!("../sql/setup/schema_set.sql");

/// Brings the file to this build's schema, or refuses one that a later build wrote.
pub(crate) fn migrate(connection: &Connection) -> Fallible<()> {
    if version(connection)? == STEPS.len() {
        return Ok(());
    }
    // Another program may be at it: whoever comes second finds the work done.
    patiently(|| Ok(connection.execute_batch("begin immediate")?))?;
    let result = step(connection);
    connection.execute_batch(if result.is_ok() { "commit" } else { "rollback" })?;
    result
}

fn step(connection: &Connection) -> Fallible<()> {
    let old = version(connection)?;
    connection.execute_batch(START)?;
    for sql in STEPS.iter().skip(old) {
        connection.execute_batch(sql)?;
    }
    connection.execute(SET, [i64::try_from(STEPS.len()).unwrap_or(i64::MAX)])?;
    Ok(())
}

/// How many steps the file has seen.
fn version(connection: &Connection) -> Fallible<usize> {
    if connection.query_row(EXISTS, [], |_| Ok(())).optional()?.is_none() {
        return Ok(0);
    }
    let version: Option<i64> = connection.query_row(VERSION, [], |row| row.get(0)).optional()?;
    let version = usize::try_from(version.unwrap_or(0)).unwrap_or(usize::MAX);
    if version > STEPS.len() {
        let known = STEPS.len();
        let text =
            format!("a later steadfast wrote it (schema {version}, known {known}); upgrade this program");
        return Err(Refusal::NewerSchema(text).into());
    }
    Ok(version)
}
