//! What goes wrong inside a job, and what it means to the caller of the store.

use rusqlite::ErrorCode;
use steadfast_core::{Refusal, StoreError};

/// Why a job stopped: SQLite's own word, or ours. It becomes a [`StoreError`] where the job ends.
#[derive(Debug)]
pub(crate) enum Fault {
    /// SQLite said no.
    Sqlite(rusqlite::Error),
    /// We did.
    Store(StoreError),
}

/// What a job answers.
pub(crate) type Fallible<T> = Result<T, Fault>;

impl Fault {
    /// A row that this build cannot have written.
    pub(crate) fn unreadable(what: &str) -> Self {
        Self::Store(StoreError::Bug(format!("a row of steadfast_task holds a {what} that cannot be read")))
    }

    /// Whether somebody else holds a lock that will be free soon.
    pub(crate) fn is_busy(&self) -> bool {
        let Self::Sqlite(error) = self else { return false };
        matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
    }

    /// The word for callers.
    pub(crate) fn sorted(self) -> StoreError {
        match self {
            Self::Store(error) => error,
            Self::Sqlite(error) => sort(&error),
        }
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<Refusal> for Fault {
    fn from(refusal: Refusal) -> Self {
        Self::Store(refusal.into())
    }
}

fn sort(error: &rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            StoreError::Busy(format!("another program holds the database's write lock ({error})"))
        }
        Some(ErrorCode::DiskFull) => StoreError::Down(format!("the disk is full; make room ({error})")),
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            StoreError::Down(format!("the database cannot be written; check its permissions ({error})"))
        }
        Some(ErrorCode::SystemIoFailure | ErrorCode::CannotOpen | ErrorCode::FileLockingProtocolFailed) => {
            StoreError::Down(format!("the disk failed; check it and its mount ({error})"))
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            StoreError::Down(format!("the database file is damaged; restore it from a backup ({error})"))
        }
        Some(ErrorCode::OutOfMemory) => StoreError::Down(format!("out of memory ({error})")),
        Some(ErrorCode::OperationInterrupted) => StoreError::Down(format!("interrupted ({error})")),
        _ => StoreError::Bug(error.to_string()),
    }
}
