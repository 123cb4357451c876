//! Adding tasks inside a caller's own transaction.

use crate::add;
use crate::db::Db;
use crate::fault::Fault;
use crate::store::PgStore;
use steadfast_core::seam::Added;
use steadfast_core::{NewTask, StoreError};
use tokio_postgres::Transaction;

impl PgStore {
    /// Adds tasks that exist once the caller's transaction commits, and never did if it rolls back.
    ///
    /// The transaction is of the caller's own connection to the same database. Workers notice the tasks by their
    /// sweep, within a second of the commit; whoever wants it sooner rings
    /// [`Hint::Look`](steadfast_core::Hint::Look) after the commit.
    ///
    /// In a transaction that is `repeatable read` or `serializable`, adding a task with a key may fail with a
    /// serialization error: roll back and repeat.
    ///
    /// # Errors
    ///
    /// [`StoreError::Busy`] means that the transaction must be repeated. After any error the tasks of this call are
    /// taken back, and the caller's other writes stand.
    pub async fn add_in(&self, tx: &Transaction<'_>, tasks: Vec<NewTask>) -> Result<Vec<Added>, StoreError> {
        let client = tx.client();
        let sorted = |error: tokio_postgres::Error| Fault::from(error).sorted();
        client.batch_execute("savepoint steadfast_add").await.map_err(sorted)?;
        let added = add::add_in(&Db::of_caller(self.setting(), client), &tasks).await;
        let end = match added {
            Ok(_) => "release savepoint steadfast_add",
            Err(_) => "rollback to savepoint steadfast_add; release savepoint steadfast_add",
        };
        client.batch_execute(end).await.map_err(sorted)?;
        added.map_err(Fault::sorted)
    }
}
