//! Adding tasks inside a caller's own transaction.

use crate::add::add_all;
use crate::db::Db;
use crate::effects;
use crate::fault::{Fallible, Fault};
use rusqlite::{Connection, TransactionState};
use steadfast_core::seam::Added;
use steadfast_core::{NewTask, Refusal, StoreError, Time};

/// Adds tasks that exist once the caller's transaction commits, and never did if it rolls back.
///
/// The connection is the caller's own, to the file of an open [`SqliteStore`](crate::SqliteStore); the
/// transaction must be `immediate`, so that it cannot fail half-way for another's write lock. Workers notice the
/// commit by themselves.
///
/// ```
/// use steadfast_core::{Clock, Kind, NewTask, Payload, TaskId, seam::SystemClock};
/// use steadfast_sqlite::{Options, SqliteStore, add_in, rusqlite};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("app.db");
/// let store = SqliteStore::open(&path, Options::default())?;
///
/// let mut mine = rusqlite::Connection::open(&path)?;
/// let tx = mine.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
/// tx.execute_batch("create table orders (id integer primary key)")?;
/// let task = NewTask::new(TaskId::new(0, [1, 2]), Kind::new("ship")?, Payload::bytes(*b"order 1"));
/// add_in(&tx, vec![task], SystemClock.now())?;
/// tx.commit()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`Refusal::NoWriteLock`] if the connection is not inside a transaction that holds the write lock,
/// [`Refusal::Database`] if its file has no tables of ours.
pub fn add_in(tx: &Connection, tasks: Vec<NewTask>, now: Time) -> Result<Vec<Added>, StoreError> {
    let state = tx.transaction_state(Some("main")).map_err(|error| Fault::from(error).sorted())?;
    if state != TransactionState::Write {
        return Err(Refusal::NoWriteLock.into());
    }
    let added = in_savepoint(tx, || add_all(&Db::new(tx, None, now), tasks));
    effects::note_added();
    added.map_err(|fault| match fault {
        Fault::Sqlite(error) if error.to_string().contains("no such table: steadfast_") => {
            let text = "the database has no steadfast tables; open it with SqliteStore::open once";
            Refusal::Database(text.into()).into()
        }
        fault => fault.sorted(),
    })
}

/// A statement of ours may fail half-way: what it did is taken back, the caller's own writes stay.
fn in_savepoint<T>(tx: &Connection, work: impl FnOnce() -> Fallible<T>) -> Fallible<T> {
    tx.execute_batch("savepoint steadfast_add")?;
    let result = work();
    if result.is_err() {
        tx.execute_batch("rollback to steadfast_add")?;
    }
    tx.execute_batch("release steadfast_add")?;
    result
}
