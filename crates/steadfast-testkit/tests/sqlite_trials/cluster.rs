//! A folder of databases: all that SQLite has of a server.

use crate::fault::fake_clock::FakeClock;
use std::sync::Arc;

/// Databases side by side. Dropped, they are removed.
pub(crate) struct Cluster(tempfile::TempDir);

impl Cluster {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    /// It has no clock of its own but that of its workers.
    pub(crate) fn by(_clock: Arc<FakeClock>) -> Self {
        Self::new()
    }

    pub(crate) fn clock_of_workers(clock: &FakeClock) -> Option<&FakeClock> {
        Some(clock)
    }

    /// Where the databases lie.
    pub(crate) fn address(&self) -> String {
        self.0.path().display().to_string()
    }
}

/// Where workers find a database.
pub(crate) fn url(address: &str, database: &str) -> String {
    format!("sqlite:{}", file(address, database))
}

/// The file of a database.
pub(crate) fn file(address: &str, database: &str) -> String {
    format!("{address}/{database}.db")
}
