//! What one sample stands on: a database of its own, gone at its end.

use crate::place::{self, Place};
use crate::server::Server;
use crate::{Result, plain};
use std::fs;
use std::str::FromStr;

/// Which database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Base {
    Sqlite,
    Postgres,
    MySql,
}

/// A database for one sample, removed when this is dropped.
#[derive(Debug)]
pub(crate) struct Ground {
    place: Place,
    server: Option<Server>,
}

impl Base {
    /// In the order of the report.
    pub(crate) const ALL: [Self; 3] = [Self::Sqlite, Self::Postgres, Self::MySql];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
            Self::MySql => "mysql",
        }
    }
}

impl FromStr for Base {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let base = Self::ALL.into_iter().find(|base| base.name() == text);
        base.ok_or_else(|| format!("no store `{text}` (known: sqlite, postgres, mysql)"))
    }
}

impl Ground {
    /// SQLite files lie on the disk of the workspace, as the server's do.
    pub(crate) fn new(base: Base, name: &str) -> Result<Self> {
        let name = format!("{name}-{}", std::process::id());
        let place = match base {
            Base::Sqlite => {
                let folder = place::root().join("target/bench").join(name);
                fs::create_dir_all(&folder)?;
                Place::File(folder.join("tasks.db"))
            }
            Base::Postgres => {
                let schema = format!("bench_{}", name.replace('-', "_"));
                plain::postgres::once(&format!("create schema {schema}"))?;
                Place::Schema(schema)
            }
            Base::MySql => {
                let database = format!("bench_{}", name.replace('-', "_"));
                plain::mysql::once(&format!("create database {database}"))?;
                Place::Database(database)
            }
        };
        Ok(Self { server: Server::of(&place)?, place })
    }

    pub(crate) const fn place(&self) -> &Place {
        &self.place
    }

    /// The server that does the work, if there is one on this machine.
    pub(crate) const fn server(&self) -> Option<Server> {
        self.server
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        // What is left over lies in the target directory or in a private server and harms nobody.
        match &self.place {
            Place::File(path) => drop(path.parent().map(fs::remove_dir_all)),
            Place::Schema(schema) => drop(plain::postgres::once(&format!("drop schema {schema} cascade"))),
            Place::Database(database) => drop(plain::mysql::once(&format!("drop database {database}"))),
        }
    }
}
