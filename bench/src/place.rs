//! Where the bench reads and writes.

use crate::Result;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::str::FromStr;

/// The workspace, wherever the program is started.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// What was measured, a line a figure.
pub(crate) fn results() -> PathBuf {
    root().join("target/bench/results.jsonl")
}

/// This program again, for what must happen in a process of its own.
pub(crate) fn own_program() -> Result<Command> {
    Ok(Command::new(std::env::current_exe()?))
}

/// A database for one sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// An SQLite file.
    File(PathBuf),
    /// A schema of the PostgreSQL server that the bench was given.
    Schema(String),
    /// A database of the MariaDB or MySQL server that the bench was given.
    Database(String),
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(out, "sqlite:{}", path.display()),
            Self::Schema(schema) => write!(out, "postgres:{schema}"),
            Self::Database(database) => write!(out, "mysql:{database}"),
        }
    }
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text.split_once(':') {
            Some(("sqlite", path)) => Ok(Self::File(path.into())),
            Some(("postgres", schema)) => Ok(Self::Schema(schema.into())),
            Some(("mysql", database)) => Ok(Self::Database(database.into())),
            _ => Err(format!("`{text}` is no place; write sqlite:FILE, postgres:SCHEMA or mysql:DATABASE")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_survives_the_command_line() {
        for place in
            [Place::File("a/b.db".into()), Place::Schema("bench".into()), Place::Database("bench".into())]
        {
            assert_eq!(place.to_string().parse(), Ok(place));
        }
        assert!("a.db".parse::<Place>().is_err());
    }
}
