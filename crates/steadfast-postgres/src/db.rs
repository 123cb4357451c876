//! Running statements on one connection, ours or a caller's.

use crate::connection::Connection;
use crate::fault::Fallible;
use crate::schema::Schema;
use crate::sql::{Params, Sql};
use std::sync::Arc;
use steadfast_core::Clock;
use tokio_postgres::{Client, Error, Row, Statement};

/// What all statements of a store share.
#[derive(Clone)]
pub(crate) struct Setting {
    pub(crate) schema: Schema,
    /// In the place of the server's; only tests have one.
    pub(crate) clock: Option<Arc<dyn Clock>>,
}

/// A connection to run statements on.
pub(crate) struct Db<'a> {
    setting: &'a Setting,
    client: &'a Client,
    /// Ours, if it is; a caller's own connection remembers nothing for us.
    connection: Option<&'a Connection>,
}

impl Setting {
    /// The first parameter of every statement that asks what time it is: none for the server's clock.
    pub(crate) fn now(&self) -> Option<i64> {
        self.clock.as_ref().map(|clock| clock.now().micros())
    }
}

impl<'a> Db<'a> {
    /// On a connection of ours.
    pub(crate) fn of(setting: &'a Setting, connection: &'a Connection) -> Self {
        Self { setting, client: &connection.client, connection: Some(connection) }
    }

    /// On a caller's connection.
    pub(crate) fn of_caller(setting: &'a Setting, client: &'a Client) -> Self {
        Self { setting, client, connection: None }
    }

    pub(crate) fn now(&self) -> Option<i64> {
        self.setting.now()
    }

    /// Runs a statement inside a transaction that somebody else ends.
    pub(crate) async fn query(&self, sql: &Sql, params: Params<'_>) -> Fallible<Vec<Row>> {
        Ok(self.run(sql, params).await?)
    }

    /// Runs a statement: prepared once where the session is ours, else in one message that leaves nothing behind.
    pub(crate) async fn run(&self, sql: &Sql, params: Params<'_>) -> Result<Vec<Row>, Error> {
        if let Some(statement) = self.prepared(sql).await? {
            return self.client.query(&statement, params).await;
        }
        let typed: Vec<_> = params.iter().copied().zip(sql.types.iter().cloned()).collect();
        // Boxed here and below, since every call has room for what it holds, and most run what was prepared.
        Box::pin(self.client.query_typed(&self.setting.schema.fill(sql.text), &typed)).await
    }

    /// A statement as the session remembers it; none if no session is ours. Whoever sends something right behind a
    /// statement asks for this before, or the two change places when it is prepared.
    pub(crate) async fn prepared(&self, sql: &Sql) -> Result<Option<Statement>, Error> {
        let Some(connection) = self.connection.filter(|connection| connection.prepared.is_some()) else {
            return Ok(None);
        };
        if let Some(statement) = connection.remembered(sql.name) {
            return Ok(Some(statement));
        }
        let text = self.setting.schema.fill(sql.text);
        let statement = Box::pin(self.client.prepare_typed(&text, sql.types)).await?;
        connection.remember(sql.name, &statement);
        Ok(Some(statement))
    }
}
