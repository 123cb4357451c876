//! What a run writes into the same database, committed together with its end.
//!
//! The fenced finish is the last statement of the handler's own transaction. COMMIT is sent only after its row was read:
//! a run that lost its grant rolls back. From that statement on the transaction has the task's row locked, so whoever
//! wants to know what became of it asks for the row and waits.

use crate::begun::Begun;
use crate::fault::Fallible;
use crate::finish;
use crate::store::MySqlStore;
use steadfast_core::seam::{Cause, Commit, Committed, Finish, Finished};
use steadfast_core::{Effects, Outcome, Refusal};

const NAME: &str = "mysql";

/// An open transaction and what it says of its run.
struct Work {
    begun: Begun,
    outcome: Outcome,
}

impl Begun {
    /// What a handler returns, so that its writes are committed together with the end of its run, or not at all.
    ///
    /// ```no_run
    /// # use steadfast_core::Outcome;
    /// # use steadfast_mysql::MySqlStore;
    /// # use steadfast_mysql::mysql_async::prelude::Queryable;
    /// # type Error = Box<dyn std::error::Error + Send + Sync>;
    /// // In a handler, `store` is `run.store::<MySqlStore>()?`.
    /// async fn pay(store: &MySqlStore, cents: i64) -> Result<Outcome, Error> {
    ///     let mut tx = store.begin().await?;
    ///     tx.conn().exec_drop("update account set cents = cents - ? where id = 7", (cents,)).await?;
    ///     Ok(tx.finish(Outcome::Done))
    /// }
    /// ```
    ///
    /// If the run has lost its task by then, all is rolled back. So it is if the commit fails, and that is a failure
    /// that the kind's policy may try again.
    #[must_use = "nothing is committed unless the handler returns it"]
    pub fn finish(self, outcome: Outcome) -> Outcome {
        Outcome::Effects(Effects::new(NAME, Work { begun: self, outcome }))
    }
}

/// Ends a run in its handler's transaction, and commits both if the fence holds.
pub(crate) async fn commit(store: &MySqlStore, commit: Commit) -> Fallible<Committed> {
    let Work { begun, outcome } = commit.effects.take(NAME)?;
    if !begun.is_of(store) {
        return Err(Refusal::ForeignEffects { made_for: "another database", store: NAME }.into());
    }
    // Dropped here, it rolls back.
    if let Err(refusal) = begun.check() {
        return Ok(Committed::Failed(refusal.to_string()));
    }
    let finish = [Finish { fence: commit.fence, cause: Cause::Holder, change: (commit.decide)(outcome) }];
    let mut answers = [Finished::Lost];
    let (tx, bell) = begun.into_tx().await;
    let mut tx = match tx {
        Ok(tx) => tx,
        Err(fault) => return Ok(Committed::Failed(fault.sorted().to_string())),
    };
    let finished = finish::all(&mut tx.db(), &finish, &mut answers).await;
    match (finished, answers) {
        (Ok(()), [Finished::Accepted { status, due_at }]) => match tx.end_fresh("commit").await {
            Ok(()) => {
                bell.ring();
                Ok(Committed::Accepted { status, due_at })
            }
            Err(fault) if !fault.is_wire() => Ok(Committed::Failed(fault.sorted().to_string())),
            Err(fault) => Err(fault),
        },
        (Ok(()), [Finished::Lost]) => {
            // If the rollback does not get through, the connection is closed and the server does it.
            let _ = tx.end_fresh("rollback").await;
            Ok(Committed::Lost)
        }
        (Err(fault), _) => {
            let _ = tx.end_fresh("rollback").await;
            Ok(Committed::Failed(fault.sorted().to_string()))
        }
    }
}
