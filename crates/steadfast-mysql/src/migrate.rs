//! The schema: forward only, and safe when several programs open a database at once.
//!
//! What changes tables is committed at once on these servers and cannot be taken back. So each statement of a step may
//! be repeated, and a step is written down when all of it is done.

use crate::cells::only;
use crate::connection::Connection;
use crate::fault::Fallible;
use crate::prefix::Prefix;
use crate::sql::params;
use crate::wire::Wire;
use std::time::Duration;
use steadfast_core::{Finding, Refusal, StoreError};

/// The steps, oldest first. A step that was released is never changed.
const STEPS: [&str; 2] =
    [include_str!("../migrations/0001_tasks.sql"), include_str!("../migrations/0002_add.sql")];

/// How long a change of the tables may take: as long as they are large.
const CHANGE_MAX: Duration = Duration::from_secs(600);

/// How many steps this build knows.
pub(crate) const KNOWN: usize = STEPS.len();

const EXISTS: &str = include_str!("../sql/setup/schema_exists.sql");
const VERSION: &str = include_str!("../sql/setup/schema_version.sql");
const LOCK: &str = include_str!("../sql/setup/schema_lock.sql");
const UNLOCK: &str = include_str!("../sql/setup/schema_unlock.sql");
const START: &str = include_str!("../sql/setup/schema_start.sql");
const SET: &str = include_str!("../sql/setup/schema_set.sql");

/// Brings the tables to this build's, or refuses those that a later build made.
pub(crate) async fn migrate(connection: &mut Connection, prefix: &Prefix) -> Fallible<()> {
    if version(connection, prefix).await? == KNOWN {
        return Ok(());
    }
    // Another program may be at it: whoever comes second finds the work done.
    connection.wait_for(CHANGE_MAX);
    let locked = connection.ask(&prefix.fill(LOCK.into())).await?;
    if only(&locked)?.int_or_none(0)? != Some(1) {
        return Err(
            StoreError::Busy("another program has been changing the tables for a minute".into()).into()
        );
    }
    let result = steps(connection, prefix).await;
    connection.say(&prefix.fill(UNLOCK.into())).await?;
    result
}

/// How the schema stands.
pub(crate) async fn finding(connection: &mut Connection, prefix: &Prefix) -> Fallible<Finding> {
    let version = version(connection, prefix).await?;
    Ok(Finding::good("schema", format!("version {version}, this build knows {KNOWN}")))
}

async fn steps(connection: &mut Connection, prefix: &Prefix) -> Fallible<()> {
    let old = version(connection, prefix).await?;
    connection.say(&prefix.fill(START.into())).await?;
    for (at, text) in STEPS.iter().enumerate().skip(old) {
        connection.say(&prefix.fill((*text).into())).await?;
        connection.execute(&prefix.fill(SET.into()), params![at + 1]).await?;
    }
    Ok(())
}

/// How many steps the schema has seen.
async fn version(connection: &mut Connection, prefix: &Prefix) -> Fallible<usize> {
    let exists = connection.ask(&prefix.fill(EXISTS.into())).await?;
    if exists.is_empty() {
        return Ok(0);
    }
    let rows = connection.ask(&prefix.fill(VERSION.into())).await?;
    let version = usize::try_from(only(&rows)?.int(0)?).unwrap_or(usize::MAX);
    if version > KNOWN {
        let text = format!(
            "a later steadfast made the tables `{}*` (version {version}, known {KNOWN}); upgrade this program",
            prefix.as_str()
        );
        return Err(Refusal::NewerSchema(text).into());
    }
    Ok(version)
}
