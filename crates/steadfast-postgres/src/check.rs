//! What a server must be, and what it should be.

use crate::columns::only;
use crate::fault::Fallible;
use crate::migrate;
use crate::pool::Pool;
use crate::sql::Sql;
use steadfast_core::{Finding, Refusal, Time};
use tokio_postgres::Client;
use tokio_postgres::types::Type;

const SERVER: &str = include_str!("../sql/setup/server.sql");
const PID: &str = include_str!("../sql/setup/pid.sql");

const NOW: Sql = Sql { name: "now", text: include_str!("../sql/now.sql"), types: &[Type::INT8] };

/// The oldest server that we know how to talk to, as it numbers itself.
const VERSION_MIN: i32 = 130_000;
/// How often two connections are compared.
const PROBES: usize = 4;

/// Refuses a server that cannot hold tasks; lists what makes it a poor place for them.
pub(crate) async fn server(client: &Client) -> Fallible<Vec<Finding>> {
    let rows = client.query_typed(SERVER, &[]).await?;
    let row = rows.first().ok_or_else(|| Refusal::Database("the server does not say what it is".into()))?;
    let version: i32 = row.try_get(0)?;
    if version < VERSION_MIN {
        let text = format!("PostgreSQL {} is too old; use 13 or later", version / 10_000);
        return Err(Refusal::Database(text).into());
    }
    if row.try_get(1)? {
        let text = "the server is a replica and cannot be written; name the primary in the URL";
        return Err(Refusal::Database(text.into()).into());
    }
    let kept = [
        (2, "fsync", "a crash of the machine may damage the database; turn it on"),
        (3, "full_page_writes", "a crash of the machine may damage the database; turn it on"),
        (4, "synchronous_commit", "a crash of the server may lose what was committed last; turn it on"),
    ];
    let mut findings = vec![Finding::good("server", format!("PostgreSQL {}", version / 10_000))];
    for (column, setting, advice) in kept {
        let value: String = row.try_get(column)?;
        findings.push(match value.as_str() {
            "off" => Finding::bad(setting, format!("is off: {advice}")),
            _ => Finding::good(setting, value),
        });
    }
    Ok(findings)
}

/// Looks at the server again, and at the schema.
pub(crate) async fn check(pool: &Pool) -> Fallible<Vec<Finding>> {
    let loan = pool.take().await?;
    let result = async {
        let client = &loan.connection.client;
        let mut findings = server(client).await?;
        findings.push(migrate::finding(client, &pool.setting.schema).await?);
        Ok(findings)
    }
    .await;
    if result.is_ok() {
        loan.back();
    }
    result
}

/// The clock that decides.
pub(crate) async fn now(pool: &Pool) -> Fallible<Time> {
    only(&pool.read(&NOW, &[&pool.now()]).await?).map(Time::from_micros)
}

/// Whether a pooler hands out the server's sessions by transaction: then two connections of ours are seen in one
/// session, or one connection in several. Under load it may take a few looks.
pub(crate) async fn is_pooled(one: &Client, other: &Client) -> Fallible<bool> {
    let mut first = None;
    for _ in 0..PROBES {
        let (mine, its) = (pid(one).await?, pid(other).await?);
        if mine == its || first.is_some_and(|first| first != (mine, its)) {
            return Ok(true);
        }
        first = Some((mine, its));
    }
    Ok(false)
}

async fn pid(client: &Client) -> Fallible<i32> {
    let rows = client.query_typed(PID, &[]).await?;
    Ok(rows.first().map_or(Ok(0), |row| row.try_get(0))?)
}
