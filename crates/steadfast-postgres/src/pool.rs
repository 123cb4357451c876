//! Connections, shared one call at a time.
//!
//! A connection comes back only when its call says that nothing is open on it. One whose call was dropped half-way,
//! or whose wire failed, is closed instead: the server rolls back whatever was open.

use crate::address::Address;
use crate::connection::Connection;
use crate::db::{Db, Setting};
use crate::driver::{self, Drive};
use crate::fault::{Fallible, Fault};
use crate::mark::Marks;
use crate::place::Place;
use crate::settle::Backends;
use crate::sql::{Params, Sql};
use crate::transaction::Tx;
use crate::warm;
use std::future::Future;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use steadfast_core::{Places, StoreError};
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};
use tokio::time::error::Elapsed;
use tokio::time::timeout;
use tokio_postgres::Row;
use tokio_postgres::error::Severity;

/// Longest wait of a caller for a connection. Callers that have one each and want another would wait for ever.
const WAIT_MAX: Duration = Duration::from_secs(10);

/// Connections of one purpose. Clones are the same pool.
#[derive(Clone)]
pub(crate) struct Pool(Arc<Shelf>);

/// What a pool keeps.
pub(crate) struct Shelf {
    pub(crate) setting: Setting,
    /// Whether no session may be relied on.
    pub(crate) pooled: bool,
    address: Address,
    room: Arc<Semaphore>,
    /// The one used last goes out first, so that few are warm and not all of them lukewarm.
    idle: Mutex<Vec<Arc<Connection>>>,
    pub(crate) drive: Drive,
    /// Whose replies were lost.
    pub(crate) lost: Backends,
    pub(crate) places: Places<Place>,
    pub(crate) marks: Marks,
}

/// A connection in use. Dropped, it is closed.
pub(crate) struct Loan {
    pub(crate) pool: Pool,
    pub(crate) connection: Arc<Connection>,
    /// Whether it stands for one that was lost while nobody used it.
    pub(crate) after_loss: bool,
    room: OwnedSemaphorePermit,
}

impl Pool {
    pub(crate) fn new(
        drive: Drive,
        address: Address,
        setting: Setting,
        pooled: bool,
        connections_max: usize,
    ) -> Self {
        let room = Arc::new(Semaphore::new(connections_max.max(1)));
        let (idle, lost) = (Mutex::default(), Backends::default());
        let (places, marks) = (Places::default(), Marks::default());
        Self(Arc::new(Shelf { setting, pooled, address, room, idle, drive, lost, places, marks }))
    }

    pub(crate) fn now(&self) -> Option<i64> {
        self.setting.now()
    }

    /// Makes two connections ready before anybody needs them: an add and the end of a run may be under way together. Whoever
    /// finds none opens one, as always. Behind a pooler no session is ours to make ready.
    pub(crate) async fn warm(&self) {
        if self.pooled {
            return;
        }
        let (one, other) = tokio::join!(self.ready(), async {
            if self.room.available_permits() > 1 { self.ready().await.map(Some) } else { Ok(None) }
        });
        match one.and_then(|one| Ok(other?.into_iter().chain([one]))) {
            Ok(ready) => ready.for_each(|connection| self.put(Arc::new(connection))),
            Err(fault) => tracing::warn!(error = %fault.sorted(), "no connections were made ready"),
        }
    }

    async fn ready(&self) -> Fallible<Connection> {
        let mut connection = Connection::open(&self.drive, &self.address, self.pooled).await?;
        warm::plan(&mut connection, &self.setting).await?;
        Ok(connection)
    }

    /// Runs one statement that writes nothing.
    pub(crate) async fn read(&self, sql: &Sql, params: Params<'_>) -> Fallible<Vec<Row>> {
        self.run(sql, params).await.map_err(|fault| match fault {
            Fault::Commit(error) => Fault::Postgres(error),
            fault => fault,
        })
    }

    /// Runs one statement that is a whole transaction. If the wire fails, it may have been committed.
    pub(crate) async fn run(&self, sql: &Sql, params: Params<'_>) -> Fallible<Vec<Row>> {
        self.take().await?.run(sql, params).await
    }

    /// Begins a transaction.
    pub(crate) async fn begin(&self) -> Fallible<Tx> {
        Ok(Tx::new(self.take().await?))
    }

    /// A connection, as soon as there is one.
    pub(crate) async fn take(&self) -> Fallible<Loan> {
        self.lend(self.room.clone().acquire_owned().await.map_err(closed)?).await
    }

    /// A connection for a caller's transaction, if there is one soon.
    pub(crate) async fn take_soon(&self) -> Fallible<Loan> {
        let room = timeout(WAIT_MAX, self.room.clone().acquire_owned()).await;
        self.lend(room.map_err(used_up)?.map_err(closed)?).await
    }

    async fn lend(&self, room: OwnedSemaphorePermit) -> Fallible<Loan> {
        let mut after_loss = false;
        while let Some(connection) = self.idle() {
            if !connection.client.is_closed() {
                return Ok(Loan { pool: self.clone(), connection, after_loss, room });
            }
            after_loss = true;
        }
        // Boxed, since it is rare and large: every call would carry the room for it.
        let connection = Box::pin(Connection::open(&self.drive, &self.address, self.pooled)).await?;
        let connection = Arc::new(connection);
        Ok(Loan { pool: self.clone(), connection, after_loss, room })
    }

    fn put(&self, connection: Arc<Connection>) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
    }

    /// The connection used last that is driven here. One that another runtime drives is of no use, since nobody knows
    /// when that runtime goes on: it makes way for one of ours.
    fn idle(&self) -> Option<Arc<Connection>> {
        let here = driver::current();
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let last = idle.iter().rposition(|connection| connection.home.is_none() || connection.home == here);
        if last.is_none() {
            idle.pop();
        }
        last.map(|last| idle.remove(last))
    }
}

fn closed(_: AcquireError) -> StoreError {
    StoreError::Down("the store is closed".into())
}

fn used_up(_: Elapsed) -> StoreError {
    let text = "no connection came free within 10 s; end transactions sooner, begin none inside another, or raise \
                `connections_max`";
    StoreError::Busy(text.into())
}

impl Deref for Pool {
    type Target = Shelf;

    fn deref(&self) -> &Shelf {
        &self.0
    }
}

impl Loan {
    pub(crate) fn db(&self) -> Db<'_> {
        Db::of(&self.pool.setting, &self.connection)
    }

    /// Runs one statement that is a whole transaction.
    pub(crate) async fn run(self, sql: &Sql, params: Params<'_>) -> Fallible<Vec<Row>> {
        if self.pool.pooled {
            // Boxed, as every call has room for what it holds, and most stand before no pooler.
            return Box::pin(Tx::new(self).only(sql, params)).await;
        }
        let result = self.db().run(sql, params).await;
        self.back_unless_broken(result.as_ref().err());
        result.map_err(Fault::Commit)
    }

    /// Nothing is open on it.
    pub(crate) fn back(self) {
        self.pool.put(self.connection);
        drop(self.room);
    }

    /// Nothing will be open on it when this has ended, for which nobody waits: it keeps no store from closing.
    pub(crate) fn back_after(self, last: impl Future<Output = ()> + Send + 'static) {
        let Self { pool, connection, room, .. } = self;
        let owner = Arc::downgrade(&pool.0);
        pool.drive.drive(async move {
            last.await;
            if let Some(owner) = owner.upgrade() {
                Pool(owner).put(connection);
            }
            drop(room);
        });
    }

    /// Nothing is open on it; an error that the server sent leaves it whole, unless it was the session's last.
    pub(crate) fn back_unless_broken(self, error: Option<&tokio_postgres::Error>) {
        let is_whole = |error: &tokio_postgres::Error| {
            error.as_db_error().is_some_and(|db| db.parsed_severity() == Some(Severity::Error))
        };
        if error.is_none_or(is_whole) {
            self.back();
        }
    }
}
