//! A transaction of our own.

use crate::cells::only;
use crate::db::Db;
use crate::fault::{Fallible, Fault};
use crate::pool::Loan;
use crate::sql::{Sql, params};
use crate::wire::Wire;
use steadfast_core::Time;

const BEGIN: &str = include_str!("../sql/begin.sql");
const BEGIN_END: &str = include_str!("../sql/begin_end.sql");
const NOW: Sql = Sql(include_str!("../sql/now.sql"));

/// A transaction. Dropped before its end, it takes its connection with it, and the server rolls back.
pub(crate) struct Tx {
    loan: Loan,
    /// What time it was when it began. While it waits for locks that grows old, and whoever judges by it judges late.
    now: Time,
}

impl Tx {
    pub(crate) async fn begin(mut loan: Loan) -> Fallible<Self> {
        let rows = loan.connection.ask(BEGIN).await?;
        let now = loan.pool.setting.now().map_or_else(|| only(&rows)?.int(0), Ok)?;
        Ok(Self { loan, now: Time::from_micros(now) })
    }

    /// Goes on in a caller's transaction that is open already. From now on it holds a task, so it may not rest for as
    /// long as its caller might: a worker that is stopped here must not keep others from reaping it.
    pub(crate) async fn within(mut loan: Loan) -> Fallible<Self> {
        loan.connection.say(BEGIN_END).await?;
        let now = loan.pool.setting.now();
        let rows = loan.db(Time::default()).query(&NOW, params![now]).await?;
        Ok(Self { loan, now: only(&rows)?.time(0)? })
    }

    /// The connection with its transaction still open.
    pub(crate) fn into_loan(self) -> Loan {
        self.loan
    }

    pub(crate) fn db(&mut self) -> Db<'_> {
        let now = self.now;
        self.loan.db(now)
    }

    /// Which session of the server this is.
    pub(crate) fn session(&self) -> u32 {
        self.loan.connection.id()
    }

    /// Ends a transaction that carried a caller's statements: what they left in the session goes with it.
    pub(crate) async fn end_fresh(mut self, how: &str) -> Fallible<()> {
        let ended = self.loan.connection.say(how).await.map_err(Fault::Commit);
        self.loan.pool.setting.quiet.wrote();
        ended?;
        self.loan.back_fresh().await;
        Ok(())
    }

    /// Commits what went well and rolls back what did not.
    pub(crate) async fn end<T>(mut self, result: Fallible<T>) -> Fallible<T> {
        match result {
            Ok(answer) => {
                let committed = self.loan.connection.say("commit").await.map_err(Fault::Commit);
                self.loan.pool.setting.quiet.wrote();
                self.loan.back_unless_broken(committed.as_ref().err());
                committed.map(|()| answer)
            }
            Err(fault) => {
                if !fault.is_broken() && self.loan.connection.say("rollback").await.is_ok() {
                    self.loan.back();
                }
                Err(fault)
            }
        }
    }
}
