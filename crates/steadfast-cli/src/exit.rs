//! How the program ends, and how it says what went wrong.

use std::io::ErrorKind;
use std::process::ExitCode;
use steadfast::{Error, Refusal, StoreError};

/// The exit codes; `--help` documents them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    Done = 0,
    Failed = 1,
    Usage = 2,
    NotThere = 3,
    Refused = 4,
    Unavailable = 5,
    Unhealthy = 6,
    NotConfirmed = 7,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Wrong use that the argument parser could not see.
#[derive(Debug)]
pub(crate) struct Usage(pub(crate) String);

/// Something that was named is not there.
#[derive(Debug)]
pub(crate) struct NotThere(pub(crate) String);

impl std::fmt::Display for Usage {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::fmt::Display for NotThere {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}
impl std::error::Error for NotThere {}

/// Says what went wrong and how to end.
pub(crate) fn report(error: &anyhow::Error, json: bool) -> Exit {
    // Whoever reads our output has seen enough, as `head` does.
    let closed = |error: &std::io::Error| error.kind() == ErrorKind::BrokenPipe;
    if error.chain().filter_map(|cause| cause.downcast_ref()).any(closed) {
        return Exit::Done;
    }
    let exit = exit_of(error);
    // The page that explains it is docs/errors.md.
    let code = error.downcast_ref::<Error>().map(Error::code);
    if json {
        let text = serde_json::json!({ "error": format!("{error:#}"), "code": code, "exit": exit as u8 });
        anstream::eprintln!("{text}");
    } else {
        let red = anstyle::AnsiColor::Red.on_default().bold();
        let code = code.map_or_else(String::new, |code| format!("[{code}]"));
        anstream::eprintln!("{red}error{code}:{red:#} {error:#}");
    }
    exit
}

fn exit_of(error: &anyhow::Error) -> Exit {
    if error.is::<Usage>() {
        return Exit::Usage;
    }
    if error.is::<NotThere>() {
        return Exit::NotThere;
    }
    match error.downcast_ref::<Error>() {
        Some(Error::Store(StoreError::Refused(Refusal::NoTask(_)))) => Exit::NotThere,
        Some(Error::Store(StoreError::Refused(_)) | Error::Lost) => Exit::Refused,
        Some(Error::Store(StoreError::Busy(_) | StoreError::Down(_) | StoreError::Unknown(_))) => {
            Exit::Unavailable
        }
        Some(Error::Url { .. }) => Exit::Usage,
        _ => Exit::Failed,
    }
}
