//! Opening the database file, and saying clearly why it cannot be used.

use crate::fault::{Fallible, Fault};
use crate::{effects, migrate};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::path::Path;
use std::time::{Duration, Instant};
use steadfast_core::{Refusal, StoreError};

/// How long a lock of another program is waited for before a caller hears of it.
pub(crate) const BUSY_MAX: Duration = Duration::from_secs(30);
/// Statements that a connection keeps compiled: more than there are.
const STATEMENTS_MAX: usize = 128;
/// The size of a page, in bytes. Only a new file takes it. Twice the usual size makes a commit of a batch some
/// 5 % cheaper: fewer pages to the log.
const PAGE_BYTES: u32 = 8192;

/// Opens the connection that writes, in a file that has our tables.
pub(crate) fn writer(path: &Path, bytes_max: Option<u64>) -> Result<Connection, StoreError> {
    open_writer(path, bytes_max).map_err(|fault| refused(path, fault))
}

/// Opens a connection that only reads.
pub(crate) fn reader(path: &Path) -> Result<Connection, StoreError> {
    open_reader(path).map_err(|fault| refused(path, fault))
}

/// Does something that another program's lock may hinder, until it does not or it has taken too long.
pub(crate) fn patiently<T>(mut work: impl FnMut() -> Fallible<T>) -> Fallible<T> {
    let since = Instant::now();
    loop {
        match work() {
            Err(fault) if fault.is_busy() && since.elapsed() < BUSY_MAX => {
                std::thread::sleep(Duration::from_millis(1));
            }
            result => return result,
        }
    }
}

fn open_writer(path: &Path, bytes_max: Option<u64>) -> Fallible<Connection> {
    if path.as_os_str().is_empty() || path.as_os_str() == ":memory:" {
        let text = "a database in memory cannot be shared; name a file, or use the memory store";
        return Err(Refusal::Database(text.into()).into());
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let mut connection = connect(path, flags)?;
    patiently(|| use_wal(&connection))?;
    effects::guard(&mut connection);
    connection.execute_batch(include_str!("../sql/setup/writer.sql"))?;
    if let Some(bytes_max) = bytes_max {
        let page_bytes: u32 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
        let pages_max = i64::try_from(bytes_max / u64::from(page_bytes)).unwrap_or(i64::MAX);
        connection.pragma_update_and_check(None, "max_page_count", pages_max, |_| Ok(()))?;
    }
    migrate::migrate(&connection)?;
    Ok(connection)
}

fn open_reader(path: &Path) -> Fallible<Connection> {
    // Opened for writing all the same: a reader of a file in WAL mode writes to the file of its locks.
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.execute_batch(include_str!("../sql/setup/reader.sql"))?;
    Ok(connection)
}

fn connect(path: &Path, flags: OpenFlags) -> Fallible<Connection> {
    let mut connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_handler(Some(wait as fn(i32) -> bool))?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    // A plan is made once, whatever numbers come: otherwise each other `limit` compiles its statement anew.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(connection)
}

/// Waits a little for another program's lock: SQLite's own handler waits up to 100 ms at a time, which is an
/// age for those who take turns within a few milliseconds.
fn wait(times: i32) -> bool {
    let pause = if times < 50 { 200 } else { 1000 };
    std::thread::sleep(Duration::from_micros(pause));
    times < 1000
}

fn use_wal(connection: &Connection) -> Fallible<()> {
    let mode = |name: &str| name.eq_ignore_ascii_case("wal");
    let old: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
    if mode(&old) {
        return Ok(());
    }
    connection.pragma_update(None, "page_size", PAGE_BYTES)?;
    let new: String = connection.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0))?;
    if mode(&new) {
        return Ok(());
    }
    let text = format!("its journal stays in mode `{new}`; use a local disk, where WAL mode works");
    Err(Refusal::Database(text).into())
}

/// Names the file, and what to do.
fn refused(path: &Path, fault: Fault) -> StoreError {
    let path = path.display();
    let text = match &fault {
        Fault::Store(StoreError::Refused(Refusal::NewerSchema(text))) => {
            return Refusal::NewerSchema(format!("database `{path}`: {text}")).into();
        }
        Fault::Store(StoreError::Refused(Refusal::Database(text))) => text.clone(),
        Fault::Store(_) => return fault.sorted(),
        Fault::Sqlite(error) => match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => {
                format!("it is not a SQLite database; name another file ({error})")
            }
            Some(ErrorCode::DatabaseCorrupt) => {
                format!("it is damaged; restore it from a backup ({error})")
            }
            Some(ErrorCode::CannotOpen) => {
                format!("it cannot be opened; create its folder and allow writing in it ({error})")
            }
            Some(
                ErrorCode::ReadOnly
                | ErrorCode::PermissionDenied
                | ErrorCode::AuthorizationForStatementDenied,
            ) => {
                format!("it cannot be written; allow writing to the file and its folder ({error})")
            }
            _ => return fault.sorted(),
        },
    };
    Refusal::Database(format!("database `{path}`: {text}")).into()
}
