//! A transaction of the store's own that carries the caller's statements.

use crate::bell::Bell;
use crate::fault::Fault;
use crate::pool::Loan;
use crate::store::PgStore;
use std::fmt;
use steadfast_core::seam::Added;
use steadfast_core::{NewTask, Refusal, StoreError};
use tokio_postgres::Client;

/// Whoever stands still inside a transaction for so long was stopped or forgot it: it must not keep its locks for ever.
const BEGIN: &str =
    "begin isolation level read committed; set local idle_in_transaction_session_timeout = '60s'";

/// A transaction on a connection of the store's. Workers are told of its tasks when it has committed.
///
/// Dropped, it rolls back: its connection is closed. The server does the same if nothing is said in it for a minute.
#[must_use = "dropped, it rolls back"]
pub struct Begun {
    loan: Loan,
    store: PgStore,
    bell: Bell,
    /// An add is under way. It is never cleared if its caller does not wait: then half of its tasks may be there.
    adding: bool,
}

impl PgStore {
    /// Begins a transaction for statements of the caller's own and the tasks that go with them.
    ///
    /// ```no_run
    /// # async fn example(store: &steadfast_postgres::PgStore, task: steadfast_core::NewTask)
    /// # -> Result<(), Box<dyn std::error::Error>> {
    /// let mut tx = store.begin().await?;
    /// tx.client().execute("update account set cents = cents - 5 where id = 7", &[]).await?;
    /// tx.add(vec![task]).await?;
    /// tx.commit().await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`StoreError::Busy`]: all connections were in other transactions for ten seconds.
    pub async fn begin(&self) -> Result<Begun, StoreError> {
        let begun = async {
            let loan = self.callers().take_soon().await?;
            loan.connection.client.batch_execute(BEGIN).await?;
            Ok(loan)
        };
        let loan = begun.await.map_err(Fault::sorted)?;
        Ok(Begun { loan, store: self.clone(), bell: Bell::new(self.clone()), adding: false })
    }
}

impl Begun {
    /// The connection, for the caller's own statements. The transaction ends by [`commit`](Self::commit) or
    /// [`rollback`](Self::rollback), not by a statement.
    pub fn client(&self) -> &Client {
        &self.loan.connection.client
    }

    /// Adds tasks, all or none. After an error the transaction can go on without them.
    ///
    /// # Cancel safety
    /// A caller that stops waiting gives the transaction up: its commit is refused.
    pub async fn add(&mut self, tasks: Vec<NewTask>) -> Result<Vec<Added>, StoreError> {
        self.check()?;
        self.adding = true;
        let added = self.store.add_on(&self.loan.connection.client, tasks, &mut self.bell).await;
        self.adding = false;
        added
    }

    /// Commits, then tells the workers.
    ///
    /// # Errors
    /// [`StoreError::Unknown`]: the connection was lost on the way, and it may have happened.
    /// [`Refusal::Interrupted`]: an add was dropped before its end; nothing was committed.
    pub async fn commit(self) -> Result<(), StoreError> {
        self.check()?;
        self.end("commit").await.map(Bell::ring).map_err(|error| Fault::Commit(error).sorted())
    }

    /// Takes everything back.
    pub async fn rollback(self) -> Result<(), StoreError> {
        self.end("rollback").await.map(drop).map_err(|error| Fault::Commit(error).sorted())
    }

    /// Whether everything that was begun in it has ended.
    pub(crate) fn check(&self) -> Result<(), Refusal> {
        if self.adding { Err(Refusal::Interrupted) } else { Ok(()) }
    }

    pub(crate) fn is_of(&self, store: &PgStore) -> bool {
        self.store.is(store)
    }

    pub(crate) fn into_parts(self) -> (Loan, Bell) {
        (self.loan, self.bell)
    }

    pub(crate) fn from_parts(loan: Loan, store: PgStore, bell: Bell) -> Self {
        Self { loan, store, bell, adding: false }
    }

    /// What the caller may have left in the session goes with the transaction.
    pub(crate) async fn end(self, how: &str) -> Result<Bell, tokio_postgres::Error> {
        let client = &self.loan.connection.client;
        let (ended, tidied) =
            tokio::join!(biased; client.batch_execute(how), client.batch_execute("discard all"));
        if ended.is_ok() && tidied.is_ok() {
            self.loan.back();
        }
        ended.map(|()| self.bell)
    }
}

impl fmt::Debug for Begun {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Begun")
    }
}
