//! A session that inserts single rows, each with a commit of its own; many of them share a runtime.

use crate::Result;
use crate::place::Place;
use crate::plain;
use steadfast_mysql::mysql_async::prelude::Queryable;
use steadfast_mysql::mysql_async::{self, Conn};
use steadfast_postgres::tokio_postgres::{Client, Statement};

pub(crate) enum Single {
    Postgres(Client, Statement),
    MySql(Conn, mysql_async::Statement),
}

/// What a session inserts, and what it says first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Insert {
    pub(crate) setup: &'static str,
    /// Its one parameter is the number of the row.
    pub(crate) sql: &'static str,
}

impl Single {
    pub(crate) async fn open(place: &Place, insert: Insert) -> Result<Self> {
        match place {
            Place::File(_) => Err("a file has one writer".into()),
            Place::Schema(schema) => {
                let client = plain::postgres::connect(schema).await?;
                client.batch_execute(insert.setup).await?;
                let statement = client.prepare(insert.sql).await?;
                Ok(Self::Postgres(client, statement))
            }
            Place::Database(database) => {
                let mut conn = plain::mysql::connect(database).await?;
                conn.query_drop(insert.setup).await?;
                let statement = conn.prep(insert.sql).await?;
                Ok(Self::MySql(conn, statement))
            }
        }
    }

    /// An error as text: it crosses threads.
    pub(crate) async fn insert(&mut self, number: u32) -> std::result::Result<(), String> {
        match self {
            Self::Postgres(client, statement) => {
                let inserted = client.query(&*statement, &[&number.cast_signed()]).await;
                inserted.map(drop).map_err(|error| error.to_string())
            }
            Self::MySql(conn, statement) => {
                conn.exec_drop(&*statement, (number,)).await.map_err(|error| error.to_string())
            }
        }
    }
}
