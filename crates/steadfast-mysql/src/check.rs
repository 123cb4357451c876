//! What a server must be, and what it should be.

use crate::cells::only;
use crate::connection::Connection;
use crate::fault::Fallible;
use crate::migrate;
use crate::pool::Pool;
use crate::sql::{Sql, params};
use std::sync::atomic::Ordering;
use steadfast_core::{Finding, Refusal, Time};

const SERVER: &str = include_str!("../sql/setup/server.sql");
const NOW: Sql = Sql(include_str!("../sql/now.sql"));

/// The oldest servers that we know how to talk to.
const MARIADB_MIN: (u32, u32) = (10, 6);
const MYSQL_MIN: (u32, u32) = (8, 0);
/// What a statement needs beside a payload.
const PACKET_REST: i64 = 128 * 1024;

/// What a server is.
pub(crate) struct Server {
    pub(crate) payload_bytes_max: usize,
    pub(crate) seq_step: i64,
    pub(crate) findings: Vec<Finding>,
}

/// Refuses a server that cannot hold tasks; lists what makes it a poor place for them.
pub(crate) async fn server(connection: &mut Connection) -> Fallible<Server> {
    let rows = connection.ask(SERVER).await?;
    let row = only(&rows)?;
    let version = row.text(0)?;
    refuse_old(version)?;
    if row.flag(1)? {
        let text = "the server is read-only and cannot hold tasks; name the primary in the URL";
        return Err(Refusal::Database(text.into()).into());
    }
    let mut findings = vec![Finding::good("server", version)];
    findings.push(match row.int(2)? {
        1 => Finding::good("innodb_flush_log_at_trx_commit", "1"),
        other => Finding::bad(
            "innodb_flush_log_at_trx_commit",
            format!("is {other}: a crash may lose what was committed last; set it to 1"),
        ),
    });
    if row.flag(3)? && row.int(4)? != 1 {
        let text = format!(
            "is {}: a crash may lose what was committed last from the binary log; set it to 1",
            row.int(4)?
        );
        findings.push(Finding::warning("sync_binlog", text));
    }
    let packet = row.int(5)?;
    let payload_bytes_max = usize::try_from(packet - PACKET_REST).unwrap_or(0);
    findings.push(Finding::good(
        "max_allowed_packet",
        format!("{packet}: payloads up to {payload_bytes_max} bytes"),
    ));
    Ok(Server { payload_bytes_max, seq_step: row.int(6)?, findings })
}

/// Looks at the server again, and at the schema.
pub(crate) async fn check(pool: &Pool) -> Fallible<Vec<Finding>> {
    let mut loan = pool.take().await?;
    let result = async {
        let mut findings = server(&mut loan.connection).await?.findings;
        findings.push(migrate::finding(&mut loan.connection, &pool.setting.prefix).await?);
        let again = pool.setting.again.load(Ordering::Relaxed);
        findings.push(Finding::good(
            "deadlocks",
            format!("{again} calls sent again since others were in their way"),
        ));
        Ok(findings)
    }
    .await;
    loan.back_unless_broken(result.as_ref().err());
    result
}

/// The clock that decides.
pub(crate) async fn now(pool: &Pool) -> Fallible<Time> {
    only(&pool.read(&NOW, params![pool.setting.now()]).await?)?.time(0)
}

fn refuse_old(version: &str) -> Result<(), Refusal> {
    let is_mariadb = version.contains("MariaDB");
    let (name, min) = if is_mariadb { ("MariaDB", MARIADB_MIN) } else { ("MySQL", MYSQL_MIN) };
    // MariaDB used to say this before its own number, for old clients.
    let mut numbers = version.strip_prefix("5.5.5-").unwrap_or(version).split(['.', '-']);
    let mut number = || numbers.next().and_then(|n| n.parse().ok()).unwrap_or(0);
    let found = (number(), number());
    if found < min {
        let text = format!("{name} {}.{} is too old; use {}.{} or later", found.0, found.1, min.0, min.1);
        return Err(Refusal::Database(text));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_servers_are_refused_by_their_own_numbers() {
        for version in
            ["10.6.0-MariaDB", "5.5.5-10.11.19-MariaDB-0+deb12u1", "8.0.36", "8.4.1-log", "11.4.2-MariaDB"]
        {
            assert!(refuse_old(version).is_ok(), "{version}");
        }
        for (version, told) in [
            ("10.5.9-MariaDB", "MariaDB 10.5 is too old; use 10.6 or later"),
            ("5.7.44", "MySQL 5.7 is too old; use 8.0 or later"),
        ] {
            let refusal = refuse_old(version).unwrap_err().to_string();
            assert!(refusal.contains(told), "{refusal}");
        }
    }
}
