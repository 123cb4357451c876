//! A transaction of the store's own that carries the caller's statements.

use crate::bell::Bell;
use crate::fault::{Fallible, Fault};
use crate::pool::Loan;
use crate::store::MySqlStore;
use crate::transaction::Tx;
use crate::wire::Wire;
use mysql_async::Conn;
use std::fmt;
use steadfast_core::seam::Added;
use steadfast_core::{NewTask, Refusal, StoreError};

/// A transaction on a connection of the store's. Workers are told of its tasks when it has committed.
///
/// Dropped, it rolls back: its connection is closed. MariaDB does the same if nothing is said in it for a minute.
#[must_use = "dropped, it rolls back"]
pub struct Begun {
    loan: Loan,
    store: MySqlStore,
    bell: Bell,
    /// An add is under way. It is never cleared if its caller does not wait: then half of its tasks may be there.
    adding: bool,
}

impl MySqlStore {
    /// Begins a transaction for statements of the caller's own and the tasks that go with them.
    ///
    /// ```no_run
    /// # use steadfast_mysql::mysql_async::prelude::Queryable;
    /// # async fn example(store: &steadfast_mysql::MySqlStore, task: steadfast_core::NewTask)
    /// # -> Result<(), Box<dyn std::error::Error>> {
    /// let mut tx = store.begin().await?;
    /// tx.conn().query_drop("update account set cents = cents - 5 where id = 7").await?;
    /// tx.add(vec![task]).await?;
    /// tx.commit().await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`StoreError::Busy`]: all connections were in other transactions for ten seconds.
    pub async fn begin(&self) -> Result<Begun, StoreError> {
        let tx = self.callers().begin_soon().await.map_err(Fault::sorted)?;
        let bell = Bell::new(self.clone());
        Ok(Begun { loan: tx.into_loan(), store: self.clone(), bell, adding: false })
    }
}

impl Begun {
    /// The connection, for the caller's own statements. The transaction ends by [`commit`](Self::commit) or
    /// [`rollback`](Self::rollback), not by a statement; what changes tables ends it on these servers.
    pub fn conn(&mut self) -> &mut Conn {
        self.loan.connection.conn()
    }

    /// Adds tasks, all or none. After an error the transaction can go on without them.
    ///
    /// # Cancel safety
    /// A caller that stops waiting, here or for a statement of its own, gives the transaction up: its commit is refused.
    pub async fn add(&mut self, tasks: Vec<NewTask>) -> Result<Vec<Added>, StoreError> {
        self.check()?;
        self.adding = true;
        let added = self.store.add_on(&mut self.loan.connection, &tasks, &mut self.bell).await;
        self.adding = false;
        added
    }

    /// Commits, then tells the workers.
    ///
    /// # Errors
    /// [`StoreError::Unknown`]: the connection was lost on the way, and it may have happened.
    /// [`Refusal::Interrupted`]: a call was dropped before its end; nothing was committed.
    pub async fn commit(self) -> Result<(), StoreError> {
        self.check()?;
        self.end("commit").await.map(Bell::ring).map_err(Fault::sorted)
    }

    /// Takes everything back.
    pub async fn rollback(self) -> Result<(), StoreError> {
        // Dropped in the middle of something, it is closed, and the server rolls back.
        if self.check().is_err() {
            return Ok(());
        }
        self.end("rollback").await.map(drop).map_err(Fault::sorted)
    }

    /// Whether everything that was begun in it has ended. The driver has one question under way at a time, and whoever
    /// does not wait for the answer leaves it to be read by the next: such a connection must not be used again.
    pub(crate) fn check(&self) -> Result<(), Refusal> {
        if self.adding || !self.loan.connection.is_whole() { Err(Refusal::Interrupted) } else { Ok(()) }
    }

    pub(crate) fn is_of(&self, store: &MySqlStore) -> bool {
        self.store.is(store)
    }

    /// The transaction, to go on with.
    pub(crate) async fn into_tx(self) -> (Fallible<Tx>, Bell) {
        (Tx::within(self.loan).await, self.bell)
    }

    /// What the caller may have left in the session goes with the transaction.
    async fn end(mut self, how: &str) -> Fallible<Bell> {
        let ended = self.loan.connection.say(how).await.map_err(Fault::Commit);
        self.loan.pool.setting.quiet.wrote();
        ended?;
        self.loan.back_fresh().await;
        Ok(self.bell)
    }
}

impl fmt::Debug for Begun {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Begun")
    }
}
