//! Adding tasks in a transaction of sqlx.
//!
//! Its connection is one more wire for the same statements: what goes out is bound as our own driver does it, and what
//! comes back is put into our driver's words.

use crate::bell::Bell;
use crate::cells::Cells;
use crate::sql::Params;
use crate::store::MySqlStore;
use crate::wire::{Answer, Wire};
use mysql_async::{Error, ServerError, Value};
use sqlx_core::arguments::Arguments;
use sqlx_core::decode::Decode;
use sqlx_core::encode::{Encode, IsNull};
use sqlx_core::error::BoxDynError;
use sqlx_core::executor::Executor;
use sqlx_core::query::query_with;
use sqlx_core::row::Row;
use sqlx_core::sql_str::AssertSqlSafe;
use sqlx_core::types::Type;
use sqlx_core::value::ValueRef;
use sqlx_mysql::{
    MySql, MySqlArguments, MySqlConnection, MySqlDatabaseError, MySqlQueryResult, MySqlRow, MySqlTransaction,
    MySqlTypeInfo,
};
use std::io;
use steadfast_core::seam::Added;
use steadfast_core::{NewTask, StoreError};

impl MySqlStore {
    /// Adds tasks that exist once the caller's transaction of sqlx commits, and never did if it rolls back.
    ///
    /// Like [`add_in`](Self::add_in).
    pub async fn add_in_sqlx(
        &self,
        tx: &mut MySqlTransaction<'_>,
        tasks: Vec<NewTask>,
    ) -> Result<(Vec<Added>, Bell), StoreError> {
        let mut bell = Bell::new(self.clone());
        let mut wire = Sqlx { connection: tx, last: MySqlQueryResult::default() };
        let added = self.add_on(&mut wire, &tasks, &mut bell).await?;
        Ok((added, bell))
    }
}

/// A connection of sqlx that is inside a transaction.
struct Sqlx<'c> {
    connection: &'c mut MySqlConnection,
    /// What the last statement did.
    last: MySqlQueryResult,
}

impl Wire for Sqlx<'_> {
    fn query<'a>(&'a mut self, text: &'a str, params: Params) -> Answer<'a, Vec<Cells>> {
        Box::pin(async move {
            let asked = query_with(AssertSqlSafe(text), bound(params)?);
            let rows = asked.fetch_all(&mut *self.connection).await.map_err(ours)?;
            rows.iter().map(|row| cells(row).map_err(ours)).collect()
        })
    }

    fn execute<'a>(&'a mut self, text: &'a str, params: Params) -> Answer<'a, ()> {
        Box::pin(async move {
            let asked = query_with(AssertSqlSafe(text), bound(params)?);
            self.last = asked.execute(&mut *self.connection).await.map_err(ours)?;
            Ok(())
        })
    }

    fn say<'a>(&'a mut self, text: &'a str) -> Answer<'a, ()> {
        Box::pin(async move {
            self.connection.execute(AssertSqlSafe(text)).await.map_err(ours)?;
            Ok(())
        })
    }

    fn affected_rows(&self) -> u64 {
        self.last.rows_affected()
    }

    fn last_insert_id(&self) -> Option<u64> {
        Some(self.last.last_insert_id())
    }
}

/// Bytes that are sent as text: what the server reads JSON from must not be binary.
struct Text(Vec<u8>);

impl Type<MySql> for Text {
    fn type_info() -> MySqlTypeInfo {
        <str as Type<MySql>>::type_info()
    }
}

impl Encode<'_, MySql> for Text {
    fn encode_by_ref(&self, out: &mut Vec<u8>) -> Result<IsNull, BoxDynError> {
        <Vec<u8> as Encode<'_, MySql>>::encode_by_ref(&self.0, out)
    }
}

/// What a statement is given, in sqlx's words.
fn bound(params: Params) -> Result<MySqlArguments, Error> {
    let mut bound = MySqlArguments::default();
    for param in params {
        match param {
            Value::NULL => bound.add(None::<i64>),
            Value::Int(n) => bound.add(n),
            Value::UInt(n) => bound.add(n),
            Value::Bytes(bytes) => bound.add(Text(bytes)),
            other => Err(format!("no statement of ours is given {other:?}").into()),
        }
        .map_err(|error| ours(sqlx_core::Error::Encode(error)))?;
    }
    Ok(bound)
}

/// A row, in our driver's words.
fn cells(row: &MySqlRow) -> Result<Cells, sqlx_core::Error> {
    let cell = |at| {
        let raw = row.try_get_raw(at)?;
        let is = |fits: fn(&MySqlTypeInfo) -> bool| fits(&raw.type_info());
        let cell = if raw.is_null() {
            Ok(Value::NULL)
        } else if is(<i64 as Type<MySql>>::compatible) {
            <i64 as Decode<MySql>>::decode(raw).map(Value::Int)
        } else if is(<u64 as Type<MySql>>::compatible) {
            <u64 as Decode<MySql>>::decode(raw).map(Value::UInt)
        } else {
            <Vec<u8> as Decode<MySql>>::decode(raw).map(Value::Bytes)
        };
        cell.map_err(sqlx_core::Error::Decode)
    };
    (0..row.len()).map(cell).collect::<Result<_, _>>().map(Cells)
}

/// What went wrong, in our driver's words. What the server did not say itself is taken for a lost connection.
fn ours(error: sqlx_core::Error) -> Error {
    let told = error.as_database_error().and_then(|error| error.try_downcast_ref::<MySqlDatabaseError>());
    match told {
        Some(told) => Error::Server(ServerError {
            code: told.number(),
            message: told.message().to_owned(),
            state: told.code().unwrap_or_default().to_owned(),
        }),
        None => Error::from(io::Error::other(error)),
    }
}
