//! What statements are sent over: a connection of ours, or a caller's transaction.

use crate::cells::Cells;
use crate::sql::Params;
use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Error, Transaction};
use std::pin::Pin;

/// An answer on its way, as the driver hands it out.
pub(crate) type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'a>>;

/// What [`Db`](crate::db::Db) needs of either.
pub(crate) trait Wire: Send {
    /// What a statement finds.
    fn query<'a>(&'a mut self, text: &'a str, params: Params) -> Answer<'a, Vec<Cells>>;

    /// Runs a statement.
    fn execute<'a>(&'a mut self, text: &'a str, params: Params) -> Answer<'a, ()>;

    /// Runs a statement that takes nothing and cannot be prepared.
    fn say<'a>(&'a mut self, text: &'a str) -> Answer<'a, ()>;

    /// How many rows the last statement found.
    fn affected_rows(&self) -> u64;

    /// The number of the first row that the last statement added.
    fn last_insert_id(&self) -> Option<u64>;
}

impl Wire for Transaction<'_> {
    fn query<'a>(&'a mut self, text: &'a str, params: Params) -> Answer<'a, Vec<Cells>> {
        self.exec(text, params)
    }

    fn execute<'a>(&'a mut self, text: &'a str, params: Params) -> Answer<'a, ()> {
        self.exec_drop(text, params)
    }

    fn say<'a>(&'a mut self, text: &'a str) -> Answer<'a, ()> {
        self.query_drop(text)
    }

    fn affected_rows(&self) -> u64 {
        Conn::affected_rows(self)
    }

    fn last_insert_id(&self) -> Option<u64> {
        Conn::last_insert_id(self)
    }
}
