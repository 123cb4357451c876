//! A caller with a connection of its own.

use steadfast::core::NewTask;
use steadfast::{BoxError, Engine, StoreError};
use steadfast_mysql::MySqlStore;
use steadfast_mysql::mysql_async::prelude::Queryable;
use steadfast_mysql::mysql_async::{Conn, Error, IsolationLevel, TxOpts};

const DEADLOCK: u16 = 1213;
const LOCK_WAIT_TIMEOUT: u16 = 1205;

pub(crate) struct Caller(Conn);

impl Caller {
    pub(crate) async fn new(url: &str) -> Self {
        Self(Conn::from_url(url).await.expect("a connection"))
    }

    /// Pays from one account to the other and adds tasks, the rows in one order or the other; false if the server undid
    /// it.
    pub(crate) async fn pay(
        &mut self,
        engine: &Engine,
        tasks: Vec<NewTask>,
        nth: usize,
    ) -> Result<bool, BoxError> {
        match self.try_pay(engine, tasks, nth).await {
            Ok(()) => Ok(true),
            Err(error) if is_undone(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    async fn try_pay(&mut self, engine: &Engine, tasks: Vec<NewTask>, nth: usize) -> Result<(), BoxError> {
        let mut options = TxOpts::default();
        options.with_isolation_level(IsolationLevel::RepeatableRead);
        let mut tx = self.0.start_transaction(options).await?;
        let (from, to) = if nth.is_multiple_of(2) { (1, 2) } else { (2, 1) };
        tx.exec_drop("update account set cents = cents - 1 where id = ?", (from,)).await?;
        let (_, bell) = engine.store::<MySqlStore>()?.add_in(&mut tx, tasks).await?;
        tx.exec_drop("update account set cents = cents + 1 where id = ?", (to,)).await?;
        tx.commit().await?;
        bell.ring();
        Ok(())
    }
}

/// A deadlock, or a lock that somebody held for too long, whoever heard of it first.
fn is_undone(error: &BoxError) -> bool {
    let undone = |error: &Error| matches!(error, Error::Server(error) if [DEADLOCK, LOCK_WAIT_TIMEOUT].contains(&error.code));
    matches!(error.downcast_ref(), Some(StoreError::Busy(_))) || error.downcast_ref().is_some_and(undone)
}
