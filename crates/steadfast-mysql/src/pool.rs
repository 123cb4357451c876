//! Connections, shared one call at a time.
//!
//! A connection comes back only when its call says that nothing is open on it. One whose call was dropped half-way, or
//! whose wire failed, is closed instead: the server rolls back whatever was open.

use crate::cells::Cells;
use crate::connection::Connection;
use crate::db::{Db, Setting};
use crate::driver::Drive;
use crate::fault::{Fallible, Fault};
use crate::settle::Sessions;
use crate::sql::{Params, Sql};
use crate::transaction::Tx;
use crate::wire::Wire;
use mysql_async::Opts;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use steadfast_core::{StoreError, Time};
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};
use tokio::time::error::Elapsed;
use tokio::time::timeout;

/// What each session is told. Nobody waits for a lock for long: whoever did is sent again. A worker that stands still
/// inside a transaction does not keep its locks; only MariaDB sees to that. Texts are bytes to us, so the character set
/// matters for error messages alone.
pub(crate) const SESSION: &str = include_str!("../sql/setup/session.sql");
/// The same for transactions of callers, who may take their time.
pub(crate) const SESSION_OF_CALLERS: &str = include_str!("../sql/setup/session_callers.sql");

/// Longest wait of a caller for a connection. Callers that have one each and want another would wait for ever.
const WAIT_MAX: Duration = Duration::from_secs(10);

/// Connections of one purpose. Clones are the same pool.
#[derive(Clone)]
pub(crate) struct Pool(Arc<Shelf>);

/// What a pool keeps.
pub(crate) struct Shelf {
    pub(crate) setting: Setting,
    opts: Opts,
    /// What each session is told.
    session: &'static str,
    room: Arc<Semaphore>,
    /// The one used last goes out first, so that few are warm and not all of them lukewarm.
    idle: Mutex<Vec<Connection>>,
    drive: Drive,
    /// Whose replies were lost.
    pub(crate) lost: Sessions,
}

/// A connection in use. Dropped, it is closed.
pub(crate) struct Loan {
    pub(crate) pool: Pool,
    pub(crate) connection: Connection,
    /// Whether it lay idle before: the server may have closed it meanwhile, and only its next use tells.
    pub(crate) was_idle: bool,
    /// Whether it stands for one that is not trusted any more.
    pub(crate) after_loss: bool,
    room: OwnedSemaphorePermit,
}

impl Pool {
    pub(crate) fn new(
        drive: Drive,
        opts: Opts,
        setting: Setting,
        session: &'static str,
        connections_max: usize,
    ) -> Self {
        let room = Arc::new(Semaphore::new(connections_max.max(1)));
        Self(Arc::new(Shelf {
            setting,
            opts,
            session,
            room,
            idle: Mutex::default(),
            drive,
            lost: Sessions::default(),
        }))
    }

    /// Runs one statement that writes nothing. If a connection that lay idle turns out to be closed, another one is asked.
    pub(crate) async fn read(&self, sql: &Sql, params: Params) -> Fallible<Vec<Cells>> {
        loop {
            let mut loan = self.take().await?;
            let result = loan.db(Time::default()).query(sql, params.clone()).await;
            let stale = loan.was_idle && result.as_ref().is_err_and(Fault::is_closed);
            loan.back_unless_broken(result.as_ref().err());
            if !stale {
                return result;
            }
        }
    }

    /// Runs one statement that is a whole transaction; says how many rows it found. If the wire fails, it may have been
    /// committed.
    pub(crate) async fn execute(&self, sql: &Sql, params: Params) -> Fallible<u64> {
        let mut loan = self.take().await?;
        let result = loan.db(Time::default()).execute(sql, params).await;
        self.setting.quiet.wrote();
        loan.back_unless_broken(result.as_ref().err());
        result.map_err(|fault| match fault {
            Fault::MySql(error) => Fault::Commit(error),
            fault => fault,
        })
    }

    /// Begins a transaction. If a connection that lay idle turns out to be closed, another one is taken.
    pub(crate) async fn begin(&self) -> Fallible<Tx> {
        loop {
            if let Some(tx) = self.take().await?.begin().await? {
                return Ok(tx);
            }
        }
    }

    /// The same for a caller, if there is a connection soon.
    pub(crate) async fn begin_soon(&self) -> Fallible<Tx> {
        loop {
            let room = timeout(WAIT_MAX, self.room.clone().acquire_owned()).await;
            let loan = self.lend(room.map_err(used_up)?.map_err(closed)?).await?;
            if let Some(tx) = loan.begin().await? {
                return Ok(tx);
            }
        }
    }

    /// A connection, as soon as there is one.
    pub(crate) async fn take(&self) -> Fallible<Loan> {
        self.lend(self.room.clone().acquire_owned().await.map_err(closed)?).await
    }

    async fn lend(&self, room: OwnedSemaphorePermit) -> Fallible<Loan> {
        let mut after_loss = false;
        while let Some(connection) = self.idle() {
            if connection.is_trusted() {
                return Ok(Loan { pool: self.clone(), connection, was_idle: true, after_loss, room });
            }
            after_loss = true;
        }
        let mut connection = self.drive.connect(self.opts.clone()).await?;
        connection.say(self.session).await?;
        Ok(Loan { pool: self.clone(), connection, was_idle: false, after_loss, room })
    }

    fn idle(&self) -> Option<Connection> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    /// Closes the connections that nobody uses.
    pub(crate) fn close(&self) {
        self.room.close();
        let idle = std::mem::take(&mut *self.idle.lock().unwrap_or_else(PoisonError::into_inner));
        self.drive.part(idle);
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
    pub(crate) fn db(&mut self, now: Time) -> Db<'_> {
        Db { setting: &self.pool.0.setting, wire: &mut self.connection, now }
    }

    /// Begins a transaction; none if it lay idle and turns out to be closed.
    async fn begin(self) -> Fallible<Option<Tx>> {
        let was_idle = self.was_idle;
        match Tx::begin(self).await {
            Err(fault) if was_idle && fault.is_closed() => Ok(None),
            begun => begun.map(Some),
        }
    }

    /// Nothing is open on it.
    pub(crate) fn back(self) {
        self.pool.idle.lock().unwrap_or_else(PoisonError::into_inner).push(self.connection);
        drop(self.room);
    }

    /// Nothing is open on it, but whoever used it may have left something in its session: that is forgotten.
    pub(crate) async fn back_fresh(mut self) {
        if self.connection.reset(self.pool.session).await {
            self.back();
        }
    }

    /// Nothing is open on it; an error that the server sent leaves it whole, unless it was the session's last.
    pub(crate) fn back_unless_broken(self, fault: Option<&Fault>) {
        if fault.is_none_or(|fault| !fault.is_broken()) {
            self.back();
        }
    }
}
