//! What goes wrong inside a call, and what it means to the caller of the store.

use std::error::Error as _;
use steadfast_core::{Refusal, StoreError};
use tokio_postgres::error::SqlState;

/// Why a call stopped: PostgreSQL's own word, or ours. It becomes a [`StoreError`] where the call ends.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The server or the wire said no, and nothing was committed.
    Postgres(tokio_postgres::Error),
    /// The same after a commit was sent: if no answer came, it may have happened.
    Commit(tokio_postgres::Error),
    /// We did.
    Store(StoreError),
}

/// What a call answers.
pub(crate) type Fallible<T> = Result<T, Fault>;

impl Fault {
    /// A row that this build cannot have written.
    pub(crate) fn unreadable(what: &str) -> Self {
        Self::Store(StoreError::Bug(format!("a row holds a {what} that cannot be read")))
    }

    /// Whether the server undid everything and the same call may pass at once.
    pub(crate) fn is_transient(&self) -> bool {
        matches!(self.code(), Some(&SqlState::T_R_SERIALIZATION_FAILURE | &SqlState::T_R_DEADLOCK_DETECTED))
    }

    /// Whether a row that must be the only one is there already.
    pub(crate) fn is_duplicate_of(&self, constraint: &str) -> bool {
        let (Self::Postgres(error) | Self::Commit(error)) = self else { return false };
        error
            .as_db_error()
            .is_some_and(|db| *db.code() == SqlState::UNIQUE_VIOLATION && db.constraint() == Some(constraint))
    }

    /// Whether somebody else held a lock for too long.
    pub(crate) fn is_locked_out(&self) -> bool {
        self.code() == Some(&SqlState::LOCK_NOT_AVAILABLE)
    }

    /// If somebody held a lock for too long, the caller hears of it now: the call is not sent again.
    pub(crate) fn waited_enough(self) -> Self {
        if self.is_locked_out() { Self::Store(self.sorted()) } else { self }
    }

    fn code(&self) -> Option<&SqlState> {
        match self {
            Self::Postgres(error) | Self::Commit(error) => error.code(),
            Self::Store(_) => None,
        }
    }

    /// The word for callers.
    pub(crate) fn sorted(self) -> StoreError {
        match self {
            Self::Store(error) => error,
            Self::Commit(error) if is_silence(&error) => StoreError::Unknown(told(&error)),
            Self::Postgres(error) | Self::Commit(error) => sort(&error),
        }
    }
}

/// Whether the connection ended without a word on what was asked last. A session that is ended by an operator
/// says so, but not whether it had just committed; a pooler says that its server is gone (class 08), and knows
/// no more than we do.
pub(crate) fn is_silence(error: &tokio_postgres::Error) -> bool {
    match error.code() {
        Some(code) => {
            let ended = [SqlState::ADMIN_SHUTDOWN, SqlState::CRASH_SHUTDOWN].contains(code);
            ended || code.code().starts_with("08")
        }
        None => is_wire(error),
    }
}

/// Whether the wire failed, not the server or we.
pub(crate) fn is_wire(error: &tokio_postgres::Error) -> bool {
    error.is_closed() || error.source().is_some_and(<dyn std::error::Error>::is::<std::io::Error>)
}

/// What happened, in one line and without the address.
pub(crate) fn told(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(db) => format!("{} ({})", db.message(), db.code().code()),
        None => match error.source() {
            Some(cause) => format!("{error}: {cause}"),
            None => error.to_string(),
        },
    }
}

fn sort(error: &tokio_postgres::Error) -> StoreError {
    let told = told(error);
    let Some(code) = error.code() else {
        if ["invalid configuration", "authentication error"].contains(&error.to_string().as_str()) {
            return Refusal::Config(format!("the PostgreSQL URL cannot be used: {told}")).into();
        }
        let down =
            is_wire(error) || error.to_string().contains("connect") || error.to_string().contains("timeout");
        return if down { StoreError::Down(told) } else { StoreError::Bug(told) };
    };
    by_state(code.code(), told)
}

/// What the server's word means to the caller, by its SQLSTATE. Whichever driver heard it.
pub(crate) fn by_state(code: &str, told: String) -> StoreError {
    match (code, code.get(..2).unwrap_or_default()) {
        ("40001" | "40P01" | "55P03", _) => StoreError::Busy(format!("others hold the same rows: {told}")),
        ("57014", _) => StoreError::Busy(format!("the statement took too long: {told}")),
        ("25006", _) => {
            StoreError::Down(format!("the server only reads; is it a replica? name the primary: {told}"))
        }
        // It rolled back: whoever stood still may send it all again.
        ("25P03" | "25P04", _) => {
            StoreError::Down(format!("the server ended a transaction that stood still: {told}"))
        }
        ("3F000" | "42P01" | "42883" | "42703", _) => {
            StoreError::Down(format!("the tables are not there; was the schema dropped? ({told})"))
        }
        ("53100", _) => StoreError::Down(format!("the server's disk is full; make room: {told}")),
        ("42501", _) => Refusal::Database(format!("the user lacks a permission; grant it: {told}")).into(),
        (_, "28" | "3D") => Refusal::Database(format!("the server refused the login: {told}")).into(),
        ("22021" | "22P05" | "54000", _) => {
            Refusal::Database(format!("the server cannot keep it: {told}")).into()
        }
        (_, "08" | "53" | "57" | "58" | "XX") => StoreError::Down(told),
        _ => StoreError::Bug(told),
    }
}

impl From<tokio_postgres::Error> for Fault {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Postgres(error)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_says_what_the_caller_can_do() {
        for (codes, expected) in [
            ("40001 40P01 55P03 57014", "Busy"),
            ("25006 25P03 25P04 3F000 42P01 42883 42703 53100 08006 57P01 58030 XX000", "Down"),
            ("42501 28P01 3D000 22021 22P05 54000", "Refused"),
            ("23505 42601 x", "Bug"),
        ] {
            for code in codes.split(' ') {
                let seen = match by_state(code, "told".into()) {
                    StoreError::Busy(_) => "Busy",
                    StoreError::Down(_) => "Down",
                    StoreError::Refused(_) => "Refused",
                    StoreError::Bug(_) => "Bug",
                    _ => "another",
                };
                assert_eq!(seen, expected, "{code}");
            }
        }
    }
}
