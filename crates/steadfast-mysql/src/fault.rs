//! What goes wrong inside a call, and what it means to the caller of the store.

use mysql_async::{DriverError, Error, IoError, ServerError};
use std::fmt;
use std::time::Duration;
use steadfast_core::{Refusal, StoreError};

/// Why a call stopped: the server's own word, or ours. It becomes a [`StoreError`] where the call ends.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The server or the wire said no, and nothing was committed.
    MySql(Error),
    /// The same after a commit was sent: if no answer came, it may have happened.
    Commit(Error),
    /// We did.
    Store(StoreError),
}

/// No answer came for so long.
#[derive(Debug)]
pub(crate) struct Silence(pub(crate) Duration);

/// What a call answers.
pub(crate) type Fallible<T> = Result<T, Fault>;

const DUPLICATE: u16 = 1062;
const LOCK_WAIT_TIMEOUT: u16 = 1205;
const DEADLOCK: u16 = 1213;

impl Fault {
    /// A row that this build cannot have written.
    pub(crate) fn unreadable(what: &str) -> Self {
        Self::Store(StoreError::Bug(format!("a row holds a {what} that cannot be read")))
    }

    /// Whether the server undid it, since it and another one waited for each other.
    pub(crate) fn is_deadlock(&self) -> bool {
        self.code() == Some(DEADLOCK)
    }

    /// Whether somebody else held a lock for too long.
    pub(crate) fn is_locked_out(&self) -> bool {
        self.code() == Some(LOCK_WAIT_TIMEOUT)
    }

    /// Whether a row that must be the only one is there already, by the name of the key that says so. MySQL puts the
    /// table's name before it.
    pub(crate) fn is_duplicate_of(&self, table: &str, key: &str) -> bool {
        let Some(error) = self.server() else { return false };
        let told = error.message.trim_end_matches('\'');
        error.code == DUPLICATE
            && (told.ends_with(&format!("'{key}")) || told.ends_with(&format!("{table}.{key}")))
    }

    /// Whether the connection is of no more use.
    pub(crate) fn is_broken(&self) -> bool {
        match self {
            Self::MySql(error) | Self::Commit(error) => error.is_fatal() || is_silence(error),
            Self::Store(_) => false,
        }
    }

    /// Whether the wire or the session ended, and not we or the server refused.
    pub(crate) fn is_wire(&self) -> bool {
        match self {
            Self::MySql(error) | Self::Commit(error) => is_silence(error),
            Self::Store(_) => false,
        }
    }

    /// Whether the connection was found closed. One on which nothing is heard is another matter: whoever asks on the next
    /// one would wait as long again.
    pub(crate) fn is_closed(&self) -> bool {
        match self {
            Self::MySql(error) | Self::Commit(error) => is_silence(error) && !is_unanswered(error),
            Self::Store(_) => false,
        }
    }

    fn code(&self) -> Option<u16> {
        self.server().map(|error| error.code)
    }

    fn server(&self) -> Option<&ServerError> {
        match self {
            Self::MySql(Error::Server(error)) | Self::Commit(Error::Server(error)) => Some(error),
            _ => None,
        }
    }

    /// The word for callers.
    pub(crate) fn sorted(self) -> StoreError {
        match self {
            Self::Store(error) => error,
            Self::Commit(error) if is_silence(&error) => StoreError::Unknown(told(&error)),
            Self::MySql(error) | Self::Commit(error) => sort(&error),
        }
    }
}

/// Whether the connection ended without a word on what was asked last. A session that is ended by an operator says so,
/// but not whether it had just committed.
pub(crate) fn is_silence(error: &Error) -> bool {
    match error {
        Error::Io(_) | Error::Driver(DriverError::ConnectionClosed | DriverError::PacketOutOfOrder) => true,
        // Shutdown, killed, gone by inactivity.
        Error::Server(error) => matches!(error.code, 1053 | 1152 | 1158..=1161 | 1317 | 1927 | 4031),
        _ => false,
    }
}

/// Whether the server showed a certificate that we do not believe.
fn is_distrust(error: &IoError) -> bool {
    let IoError::Io(error) = error else { return false };
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
    matches!(inner, Some(rustls::Error::InvalidCertificate(_)))
}

fn is_unanswered(error: &Error) -> bool {
    let Error::Io(IoError::Io(error)) = error else { return false };
    matches!(error.get_ref(), Some(inner) if inner.is::<Silence>())
}

/// What happened, in one line and without the address.
pub(crate) fn told(error: &Error) -> String {
    match error {
        Error::Server(error) => format!("{} ({})", error.message, error.code),
        other => other.to_string(),
    }
}

fn sort(error: &Error) -> StoreError {
    let told = told(error);
    match error {
        Error::Server(error) => by_code(error.code, told),
        Error::Io(fault) if is_distrust(fault) => {
            let text = "the server's certificate is not trusted; name who signed it with ssl_ca, and the host as it \
                        stands there";
            Refusal::Config(format!("{text}: {told}")).into()
        }
        Error::Io(_) | Error::Driver(DriverError::ConnectionClosed | DriverError::PacketOutOfOrder) => {
            StoreError::Down(told)
        }
        Error::Driver(DriverError::PacketTooLarge) => too_large(&told),
        Error::Driver(DriverError::UnknownAuthPlugin { .. } | DriverError::NoClientSslFlagFromServer) => {
            Refusal::Config(format!("the MySQL URL cannot be used: {told}")).into()
        }
        _ => StoreError::Bug(told),
    }
}

/// What the server's word means to the caller, by its number.
fn by_code(code: u16, told: String) -> StoreError {
    match code {
        // Below a thousand are its own troubles with files and memory.
        ..1000 => StoreError::Down(format!("the server is in trouble: {told}")),
        DEADLOCK | LOCK_WAIT_TIMEOUT => StoreError::Busy(format!("others hold the same rows: {told}")),
        1969 | 3024 => StoreError::Busy(format!("the statement took too long: {told}")),
        1290 | 1792 | 1836 => {
            StoreError::Down(format!("the server only reads; is it a replica? name the primary: {told}"))
        }
        1054 | 1146 | 1305 => {
            StoreError::Down(format!("the tables are not there; were they dropped? ({told})"))
        }
        1021 | 1114 => StoreError::Down(format!("the server's disk is full; make room: {told}")),
        1142 | 1143 | 1227 | 1370 => {
            Refusal::Database(format!("the user lacks a permission; grant it: {told}")).into()
        }
        1044 | 1045 | 1049 | 1130 | 1251 | 1698 => {
            Refusal::Database(format!("the server refused the login: {told}")).into()
        }
        1153 | 1301 => too_large(&told),
        1264 | 1366 | 1406 => Refusal::Database(format!("the server cannot keep it: {told}")).into(),
        1030 | 1040 | 1053 | 1152 | 1158..=1161 | 1203 | 1226 | 1317 | 1927 | 4031 => StoreError::Down(told),
        _ => StoreError::Bug(told),
    }
}

fn too_large(told: &str) -> StoreError {
    Refusal::Database(format!("it is larger than the server takes; raise max_allowed_packet: {told}")).into()
}

impl fmt::Display for Silence {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "the server did not answer for {:?}", self.0)
    }
}

impl std::error::Error for Silence {}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::MySql(error)
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
    fn a_code_says_what_the_caller_can_do() {
        for (codes, expected) in [
            (&[1213, 1205, 1969, 3024][..], "Busy"),
            (&[6, 1290, 1836, 1146, 1114, 1040, 1053, 1317, 1927], "Down"),
            (&[1142, 1045, 1049, 1153, 1406], "Refused"),
            (&[1062, 1064], "Bug"),
        ] {
            for code in codes {
                let seen = match by_code(*code, "told".into()) {
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

    #[test]
    fn a_duplicate_is_known_by_its_key_on_both_servers() {
        for told in
            ["Duplicate entry 'a' for key 'task_head'", "Duplicate entry 'a' for key 't_task.task_head'"]
        {
            let fault = Fault::MySql(Error::Server(ServerError {
                code: 1062,
                message: told.into(),
                state: "23000".into(),
            }));
            assert!(fault.is_duplicate_of("task", "task_head"));
            assert!(!fault.is_duplicate_of("task", "head"));
            assert!(!fault.is_duplicate_of("receipt", "PRIMARY"));
        }
    }
}
