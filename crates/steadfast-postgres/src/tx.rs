//! Adding tasks inside a caller's own transaction.

use crate::add;
use crate::bell::Bell;
use crate::db::Db;
use crate::fault::Fault;
use crate::store::PgStore;
use steadfast_core::seam::Added;
use steadfast_core::{NewTask, StoreError};
use tokio_postgres::{Client, Transaction};

impl PgStore {
    /// Adds tasks that exist once the caller's transaction commits, and never did if it rolls back.
    ///
    /// The transaction is of the caller's own connection to the same database. Ring the [`Bell`] after the commit, and
    /// workers start at once; otherwise they notice within a second.
    ///
    /// In a transaction that is `repeatable read` or `serializable`, adding a task with a key may fail with a
    /// serialization error: roll back and repeat.
    ///
    /// # Errors
    ///
    /// [`StoreError::Busy`] means that the transaction must be repeated. After any error the tasks of this call are
    /// taken back, and the caller's other writes stand.
    ///
    /// # Cancel safety
    ///
    /// A caller that stops waiting must roll its transaction back: some of the tasks may be in it.
    pub async fn add_in(
        &self,
        tx: &Transaction<'_>,
        tasks: Vec<NewTask>,
    ) -> Result<(Vec<Added>, Bell), StoreError> {
        let mut bell = Bell::new(self.clone());
        let added = self.add_on(tx.client(), tasks, &mut bell).await?;
        Ok((added, bell))
    }

    /// Adds tasks on a connection that is inside a transaction, all or none.
    pub(crate) async fn add_on(
        &self,
        client: &Client,
        tasks: Vec<NewTask>,
        bell: &mut Bell,
    ) -> Result<Vec<Added>, StoreError> {
        let sorted = |error: tokio_postgres::Error| Fault::from(error).sorted();
        client.batch_execute("savepoint steadfast_add").await.map_err(sorted)?;
        let added = add::add_in(&Db::of_caller(self.setting(), client), &tasks).await;
        let end = match added {
            Ok(_) => "release savepoint steadfast_add",
            Err(_) => "rollback to savepoint steadfast_add; release savepoint steadfast_add",
        };
        client.batch_execute(end).await.map_err(sorted)?;
        let added = added.map_err(Fault::sorted)?;
        for ((bucket, serial), added) in Bell::places(&tasks).into_iter().zip(&added) {
            bell.note(bucket, serial, added);
        }
        Ok(added)
    }
}
