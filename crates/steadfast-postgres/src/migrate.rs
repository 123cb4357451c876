//! The schema: forward only, and safe when several programs open a database at once.

use crate::fault::Fallible;
use crate::schema::Schema;
use steadfast_core::{Finding, Refusal};
use tokio_postgres::Client;
use tokio_postgres::types::Type;

/// The steps, oldest first. A step that was released is never changed.
const STEPS: [&str; 2] =
    [include_str!("../migrations/0001_tasks.sql"), include_str!("../migrations/0002_add.sql")];

/// How many steps this build knows.
pub(crate) const KNOWN: usize = STEPS.len();

const NAMED: &str = include_str!("../sql/setup/schema_named.sql");
const EXISTS: &str = include_str!("../sql/setup/schema_exists.sql");
const VERSION: &str = include_str!("../sql/setup/schema_version.sql");
const LOCK: &str = include_str!("../sql/setup/schema_lock.sql");
const MAKE: &str = include_str!("../sql/setup/schema_make.sql");
const START: &str = include_str!("../sql/setup/schema_start.sql");
const SET: &str = include_str!("../sql/setup/schema_set.sql");

/// Brings the schema to this build's tables, or refuses one that a later build wrote.
pub(crate) async fn migrate(client: &mut Client, schema: &Schema) -> Fallible<()> {
    check_name(client, schema).await?;
    if version(client, schema).await? == KNOWN {
        return Ok(());
    }
    // Another program may be at it: whoever comes second finds the work done.
    let tx = client.transaction().await?;
    tx.query_typed(&schema.fill(LOCK), &[]).await?;
    let old = version(tx.client(), schema).await?;
    tx.batch_execute(&schema.fill_alone(MAKE)).await?;
    tx.batch_execute(&schema.fill(START)).await?;
    for sql in STEPS.iter().skip(old) {
        tx.batch_execute(&schema.fill(sql)).await?;
    }
    let new = i32::try_from(KNOWN).unwrap_or(i32::MAX);
    tx.execute_typed(&schema.fill(SET), &[(&new, Type::INT4)]).await?;
    tx.commit().await?;
    Ok(())
}

/// How the schema stands.
pub(crate) async fn finding(client: &Client, schema: &Schema) -> Fallible<Finding> {
    let version = version(client, schema).await?;
    Ok(Finding::good("schema", format!("version {version}, this build knows {KNOWN}")))
}

/// The server knows its own reserved words.
async fn check_name(client: &Client, schema: &Schema) -> Fallible<()> {
    let name = schema.name();
    if client.query_typed(NAMED, &[(&name, Type::TEXT)]).await?.is_empty() {
        let text = format!("schema `{name}` is a word of SQL; choose another name");
        return Err(Refusal::Config(text).into());
    }
    Ok(())
}

/// How many steps the schema has seen.
async fn version(client: &Client, schema: &Schema) -> Fallible<usize> {
    if client.query_typed(&schema.fill(EXISTS), &[]).await?.is_empty() {
        return Ok(0);
    }
    let rows = client.query_typed(&schema.fill(VERSION), &[]).await?;
    let version: i32 = rows.first().map_or(Ok(0), |row| row.try_get(0))?;
    let version = usize::try_from(version).unwrap_or(usize::MAX);
    if version > KNOWN {
        let name = schema.name();
        let text = format!(
            "a later steadfast wrote the schema `{name}` (version {version}, known {KNOWN}); upgrade this program"
        );
        return Err(Refusal::NewerSchema(text).into());
    }
    Ok(version)
}
