//! Plain connections to PostgreSQL.

use crate::Result;
use std::future::Future;
use steadfast_postgres::tokio_postgres::types::ToSql;
use steadfast_postgres::tokio_postgres::{self, Client, NoTls, Row, Statement};
use tokio::runtime::Runtime;

pub(crate) type Params<'a> = &'a [&'a (dyn ToSql + Sync)];

/// One connection.
pub(crate) struct Plain {
    runtime: Runtime,
    client: Client,
}

/// Where the server is.
pub(crate) fn url() -> Result<String> {
    let unset =
        "no PostgreSQL server: use `make bench`, or set STEADFAST_POSTGRES to what `make services` says";
    std::env::var("STEADFAST_POSTGRES").map_err(|_| unset.into())
}

/// A connection that finds unnamed tables in that schema.
pub(crate) async fn connect(schema: &str) -> Result<Client> {
    let (client, connection) = tokio_postgres::connect(&url()?, NoTls).await?;
    tokio::spawn(connection);
    client.batch_execute(&format!("set search_path = {schema}")).await?;
    Ok(client)
}

/// Runs some statements on a connection of their own.
pub(crate) fn once(sql: &str) -> Result<()> {
    Plain::open("public")?.batch(sql)
}

impl Plain {
    pub(crate) fn open(schema: &str) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let client = runtime.block_on(connect(schema))?;
        Ok(Self { runtime, client })
    }

    pub(crate) fn batch(&self, sql: &str) -> Result<()> {
        self.wait(self.client.batch_execute(sql))
    }

    pub(crate) fn prepare(&self, sql: &str) -> Result<Statement> {
        self.wait(self.client.prepare(sql))
    }

    pub(crate) fn query(&self, statement: &Statement, params: Params<'_>) -> Result<Vec<Row>> {
        self.wait(self.client.query(statement, params))
    }

    pub(crate) fn execute(&self, statement: &Statement, params: Params<'_>) -> Result<()> {
        self.wait(self.client.execute(statement, params)).map(drop)
    }

    /// Runs a text once.
    pub(crate) fn ask(&self, sql: &str, params: Params<'_>) -> Result<Vec<Row>> {
        self.wait(self.client.query(sql, params))
    }

    fn wait<T>(
        &self,
        work: impl Future<Output = std::result::Result<T, tokio_postgres::Error>>,
    ) -> Result<T> {
        Ok(self.runtime.block_on(work)?)
    }
}
