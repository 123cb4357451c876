//! Connections that are ready before the first call.
//!
//! A new session of the server has to read the catalog, and a statement is planned when it runs for the first time. Whoever
//! adds first, or takes first, would wait for all of that: the first tasks between two processes started after 15 to 30 ms
//! and not after two.

use crate::ahead::RING_BEHIND;
use crate::alike::{ADD_ALIKE, BEAR_ALIKE};
use crate::alone::ADD_ALONE;
use crate::bare::DONE_BARE;
use crate::connection::Connection;
use crate::db::{Db, Setting};
use crate::finish::DONE;
use crate::grab_alike::GRAB_ALIKE;
use crate::kind::KINDS;
use crate::sql::Sql;
use bytes::BytesMut;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

/// What a service that is not busy sends.
const STATEMENTS: [&Sql; 8] =
    [&KINDS, &ADD_ALONE, &RING_BEHIND, &ADD_ALIKE, &BEAR_ALIKE, &GRAB_ALIKE, &DONE_BARE, &DONE];

/// A parameter of any type that says nothing.
#[derive(Debug)]
struct Nothing;

/// Has the server plan what will be sent, without running any of it.
pub(crate) async fn plan(
    connection: &mut Connection,
    setting: &Setting,
) -> Result<(), tokio_postgres::Error> {
    let mut statements = Vec::with_capacity(STATEMENTS.len());
    for sql in STATEMENTS {
        statements.extend(Db::of(setting, connection).prepared(sql).await?);
    }
    // A statement is planned as soon as it is given its parameters, which needs a transaction to stay in.
    let transaction = connection.client.transaction().await?;
    for statement in &statements {
        let nothing: Vec<&(dyn ToSql + Sync)> = vec![&Nothing; statement.params().len()];
        transaction.bind(statement, &nothing).await?;
    }
    transaction.rollback().await
}

impl ToSql for Nothing {
    fn to_sql(&self, _: &Type, _: &mut BytesMut) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        Ok(IsNull::Yes)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}
