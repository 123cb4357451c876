//! Adding tasks inside a caller's own transaction.

use crate::add;
use crate::bell::Bell;
use crate::cells::only;
use crate::db::{Db, Setting};
use crate::fault::{Fallible, Fault};
use crate::sql::{Sql, params};
use crate::store::MySqlStore;
use crate::wire::Wire;
use mysql_async::Transaction;
use steadfast_core::seam::Added;
use steadfast_core::{NewTask, StoreError, Time};

const NOW: Sql = Sql(include_str!("../sql/now.sql"));

impl MySqlStore {
    /// Adds tasks that exist once the caller's transaction commits, and never did if it rolls back.
    ///
    /// The transaction is of the caller's own connection to the same database. Ring the [`Bell`] after the commit, and
    /// workers start at once; otherwise they notice within a second.
    ///
    /// # Errors
    ///
    /// [`StoreError::Busy`] means that the transaction must be repeated: after a deadlock the server has taken back all
    /// of it. After any other error the tasks of this call are taken back, and the caller's other writes stand.
    ///
    /// # Cancel safety
    ///
    /// A caller that stops waiting must roll its transaction back: some of the tasks may be in it.
    pub async fn add_in(
        &self,
        tx: &mut Transaction<'_>,
        tasks: Vec<NewTask>,
    ) -> Result<(Vec<Added>, Bell), StoreError> {
        let mut bell = Bell::new(self.clone());
        let added = self.add_on(tx, &tasks, &mut bell).await?;
        Ok((added, bell))
    }

    /// Adds tasks on a connection that is inside a transaction, all or none.
    pub(crate) async fn add_on(
        &self,
        wire: &mut dyn Wire,
        tasks: &[NewTask],
        bell: &mut Bell,
    ) -> Result<Vec<Added>, StoreError> {
        let added = all_or_none(self.setting(), wire, tasks).await.map_err(Fault::sorted)?;
        for ((bucket, serial), added) in Bell::places(tasks).into_iter().zip(&added) {
            bell.note(bucket, serial, added);
        }
        Ok(added)
    }
}

async fn all_or_none(setting: &Setting, wire: &mut dyn Wire, tasks: &[NewTask]) -> Fallible<Vec<Added>> {
    wire.say("savepoint steadfast_add").await?;
    let added = add(setting, wire, tasks).await;
    let end = match &added {
        Ok(_) => "release savepoint steadfast_add",
        Err(_) => "rollback to savepoint steadfast_add",
    };
    match (added, wire.say(end).await) {
        (Ok(added), Ok(())) => Ok(added),
        (Ok(_), Err(error)) => Err(error.into()),
        // After a deadlock there is no savepoint any more; what happened before says more.
        (Err(fault), _) => Err(fault),
    }
}

async fn add(setting: &Setting, wire: &mut dyn Wire, tasks: &[NewTask]) -> Fallible<Vec<Added>> {
    let mut db = Db { setting, wire, now: Time::default() };
    db.now = only(&db.query(&NOW, params![setting.now()]).await?)?.time(0)?;
    add::add_in(&mut db, tasks).await
}
