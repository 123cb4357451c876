//! Plain connections to MariaDB or MySQL.

use crate::Result;
use steadfast_mysql::mysql_async::prelude::{FromRow, Queryable};
use steadfast_mysql::mysql_async::{Conn, Opts, OptsBuilder, Params};
use tokio::runtime::Runtime;

/// One connection. Statements with parameters are prepared at their first use and kept.
pub(crate) struct Plain {
    runtime: Runtime,
    conn: Conn,
}

/// Where the server is.
pub(crate) fn url() -> Result<String> {
    let unset =
        "no MariaDB or MySQL server: use `make bench`, or set STEADFAST_MYSQL to what `make services` says";
    std::env::var("STEADFAST_MYSQL").map_err(|_| unset.into())
}

/// The same for one of its databases.
pub(crate) fn url_of(database: &str) -> Result<String> {
    let url = url()?;
    let (server, _) = url.rsplit_once('/').ok_or("STEADFAST_MYSQL names no database")?;
    Ok(format!("{server}/{database}"))
}

/// A connection to that database, over TCP as for PostgreSQL.
pub(crate) async fn connect(database: &str) -> Result<Conn> {
    let opts = Opts::from_url(&url_of(database)?)?;
    Ok(Conn::new(OptsBuilder::from_opts(opts).prefer_socket(false)).await?)
}

/// Runs a statement on a connection of its own.
pub(crate) fn once(sql: &str) -> Result<()> {
    Plain::open("")?.batch(sql)
}

impl Plain {
    pub(crate) fn open(database: &str) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let conn = runtime.block_on(connect(database))?;
        Ok(Self { runtime, conn })
    }

    /// Runs a text once.
    pub(crate) fn batch(&mut self, sql: &str) -> Result<()> {
        Ok(self.runtime.block_on(self.conn.query_drop(sql))?)
    }

    /// The same with an answer.
    pub(crate) fn ask<T: FromRow + Send + 'static>(&mut self, sql: &str) -> Result<Vec<T>> {
        Ok(self.runtime.block_on(self.conn.query(sql))?)
    }

    pub(crate) fn query<T: FromRow + Send + 'static>(
        &mut self,
        sql: &str,
        params: impl Into<Params> + Send,
    ) -> Result<Vec<T>> {
        Ok(self.runtime.block_on(self.conn.exec(sql, params))?)
    }

    pub(crate) fn execute(&mut self, sql: &str, params: impl Into<Params> + Send) -> Result<()> {
        Ok(self.runtime.block_on(self.conn.exec_drop(sql, params))?)
    }
}
