//! What a job works with: a connection inside a transaction, and the time.

use crate::counters::Tally;
use crate::fault::Fallible;
use rusqlite::{CachedStatement, Connection, Params, Row, Statement, StatementStatus};
use std::ops::{Deref, DerefMut};
use steadfast_core::Time;

/// A connection inside a transaction that somebody else began and will end.
#[derive(Clone, Copy)]
pub(crate) struct Db<'a> {
    connection: &'a Connection,
    tally: Option<&'a Tally>,
    /// The one moment at which all of a job happens.
    pub(crate) now: Time,
}

impl<'a> Db<'a> {
    /// Statements are counted into the tally, if there is one.
    pub(crate) fn new(connection: &'a Connection, tally: Option<&'a Tally>, now: Time) -> Self {
        Self { connection, tally, now }
    }

    /// The connection itself, for statements that are not ours.
    pub(crate) fn connection(&self) -> &'a Connection {
        self.connection
    }

    /// A statement, compiled at its first use.
    pub(crate) fn prepare(&self, sql: &str) -> Fallible<Prepared<'a>> {
        Ok(Prepared { statement: self.connection.prepare_cached(sql)?, tally: self.tally })
    }

    /// Runs a statement once; says how many rows it changed.
    pub(crate) fn execute(&self, sql: &str, params: impl Params) -> Fallible<usize> {
        Ok(self.prepare(sql)?.execute(params)?)
    }

    /// Reads the first row, if there is one.
    pub(crate) fn first<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> Fallible<T>,
    ) -> Fallible<Option<T>> {
        let mut statement = self.prepare(sql)?;
        let mut rows = statement.query(params)?;
        rows.next()?.map(read).transpose()
    }

    /// Reads all rows.
    pub(crate) fn all<T>(
        &self,
        sql: &str,
        params: impl Params,
        mut read: impl FnMut(&Row<'_>) -> Fallible<T>,
    ) -> Fallible<Vec<T>> {
        let mut statement = self.prepare(sql)?;
        let mut rows = statement.query(params)?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            all.push(read(row)?);
        }
        Ok(all)
    }

    /// The seq of the row that was added last.
    pub(crate) fn last_seq(&self) -> i64 {
        self.connection.last_insert_rowid()
    }
}

/// A compiled statement that says what it cost when it is laid back.
pub(crate) struct Prepared<'a> {
    statement: CachedStatement<'a>,
    tally: Option<&'a Tally>,
}

impl<'a> Deref for Prepared<'a> {
    type Target = Statement<'a>;

    fn deref(&self) -> &Statement<'a> {
        &self.statement
    }
}

impl<'a> DerefMut for Prepared<'a> {
    fn deref_mut(&mut self) -> &mut Statement<'a> {
        &mut self.statement
    }
}

impl Drop for Prepared<'_> {
    fn drop(&mut self) {
        if let Some(tally) = self.tally {
            let runs = self.statement.reset_status(StatementStatus::Run);
            tally.ran(runs, self.statement.reset_status(StatementStatus::VmStep));
        }
    }
}
