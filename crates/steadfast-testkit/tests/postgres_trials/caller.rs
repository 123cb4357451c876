//! A caller with a connection of its own.

use steadfast::core::NewTask;
use steadfast::{BoxError, Engine, StoreError};
use steadfast_postgres::PgStore;
use steadfast_postgres::tokio_postgres::error::SqlState;
use steadfast_postgres::tokio_postgres::{self, Client, Error, IsolationLevel, NoTls};

pub(crate) struct Caller(Client);

impl Caller {
    pub(crate) async fn new(url: &str) -> Self {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await.expect("a connection");
        tokio::spawn(connection);
        Self(client)
    }

    /// Pays from one account to the other and adds tasks, in a serializable transaction; false if the server undid it.
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
        let tx = self.0.build_transaction().isolation_level(IsolationLevel::Serializable).start().await?;
        let (from, to) = if nth.is_multiple_of(2) { (1, 2) } else { (2, 1) };
        tx.execute("update account set cents = cents - 1 where id = $1", &[&from]).await?;
        let (_, bell) = engine.store::<PgStore>()?.add_in(&tx, tasks).await?;
        tx.execute("update account set cents = cents + 1 where id = $1", &[&to]).await?;
        tx.commit().await?;
        bell.ring();
        Ok(())
    }
}

/// A serialization error or a deadlock, whoever heard of it first.
fn is_undone(error: &BoxError) -> bool {
    let code = error.downcast_ref::<Error>().and_then(Error::code);
    matches!(error.downcast_ref(), Some(StoreError::Busy(_)))
        || code.is_some_and(|code| {
            [SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED].contains(code)
        })
}
