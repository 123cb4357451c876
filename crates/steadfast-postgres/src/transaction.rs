//! A transaction of our own.

use crate::connection::{begin, settings};
use crate::db::Db;
use crate::fault::{Fallible, Fault};
use crate::pool::Loan;
use crate::sql::{Params, Sql};
use tokio_postgres::Row;

/// A transaction. It begins together with its first statement, in one message. Dropped before its end, it takes
/// its connection with it, and the server rolls back.
pub(crate) struct Tx {
    loan: Loan,
    begin: String,
    begun: bool,
}

impl Tx {
    pub(crate) fn new(loan: Loan) -> Self {
        let begin = begin(loan.pool.pooled);
        Self { loan, begin, begun: false }
    }

    /// Goes on in a transaction that is open already, with our settings from its next statement on.
    pub(crate) fn within(loan: Loan) -> Self {
        Self { loan, begin: settings(), begun: false }
    }

    /// The connection with its transaction still open.
    pub(crate) fn into_loan(self) -> Loan {
        self.loan
    }

    /// The same under another setting of the server's, until it ends.
    pub(crate) fn with(mut self, setting: &'static str) -> Self {
        self.begin.push_str("; set local ");
        self.begin.push_str(setting);
        self
    }

    /// The same when no other transaction has this advisory lock, which is its own until it ends.
    pub(crate) fn behind(mut self, lock: i64) -> Self {
        self.begin.extend(["; select pg_advisory_xact_lock(", &lock.to_string(), ")"]);
        self
    }

    /// What time it is, for the statements; none for the server's clock.
    pub(crate) fn now(&self) -> Option<i64> {
        self.loan.pool.now()
    }

    pub(crate) fn loan(&self) -> &Loan {
        &self.loan
    }

    /// The connection, once the transaction has begun.
    pub(crate) async fn db(&mut self) -> Fallible<Db<'_>> {
        if !self.begun {
            self.loan.connection.client.batch_execute(&self.begin).await?;
            self.begun = true;
        }
        Ok(self.loan.db())
    }

    /// Runs a statement.
    pub(crate) async fn query(&mut self, sql: &Sql, params: Params<'_>) -> Fallible<Vec<Row>> {
        let db = self.loan.db();
        if self.begun {
            return db.query(sql, params).await;
        }
        self.begun = true;
        let (begun, rows) = tokio::join!(
            biased;
            self.loan.connection.client.batch_execute(&self.begin),
            db.run(sql, params)
        );
        begun?;
        Ok(rows?)
    }

    /// Runs the one statement of a transaction, all in one message.
    pub(crate) async fn only(self, sql: &Sql, params: Params<'_>) -> Fallible<Vec<Row>> {
        let client = &self.loan.connection.client;
        let db = self.loan.db();
        let (begun, rows, ended) = tokio::join!(
            biased;
            client.batch_execute(&self.begin),
            db.run(sql, params),
            client.batch_execute("commit")
        );
        let result = begun.and(rows).and_then(|rows| ended.map(|()| rows));
        self.loan.back_unless_broken(result.as_ref().err());
        result.map_err(Fault::Commit)
    }

    /// Runs the last statement of a transaction and commits, in one message. A statement that fails takes all back.
    pub(crate) async fn last(self, sql: &Sql, params: Params<'_>) -> Fallible<Vec<Row>> {
        let db = self.loan.db();
        db.prepared(sql).await?;
        let (rows, ended) =
            tokio::join!(biased; db.run(sql, params), self.loan.connection.client.batch_execute("commit"));
        let result = rows.and_then(|rows| ended.map(|()| rows));
        self.loan.back_unless_broken(result.as_ref().err());
        result.map_err(Fault::Commit)
    }

    /// Commits what went well and rolls back what did not.
    pub(crate) async fn end<T>(self, result: Fallible<T>) -> Fallible<T> {
        if !self.begun {
            self.loan.back();
            return result;
        }
        let client = &self.loan.connection.client;
        match result {
            Ok(answer) => {
                let committed = client.batch_execute("commit").await;
                self.loan.back_unless_broken(committed.as_ref().err());
                committed.map_err(Fault::Commit)?;
                Ok(answer)
            }
            Err(fault) => {
                if client.batch_execute("rollback").await.is_ok() {
                    self.loan.back();
                }
                Err(fault)
            }
        }
    }
}
