//! A folder of databases: all that SQLite has of a server.

use crate::fault::fake_clock::FakeClock;
use std::path::PathBuf;
use std::sync::Arc;

/// Databases side by side. Dropped, they are removed.
pub(crate) struct Cluster(PathBuf);

impl Cluster {
    pub(crate) fn new() -> Self {
        Self::on(tempfile::tempdir().expect("a folder").keep())
    }

    /// One in this folder.
    pub(crate) fn on(folder: PathBuf) -> Self {
        std::fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }

    /// There is no server that could be gone.
    #[expect(clippy::unused_self, reason = "servers look after themselves")]
    pub(crate) fn revive(&self) -> bool {
        false
    }

    /// It has no clock of its own but that of its workers.
    pub(crate) fn by(_clock: Arc<FakeClock>) -> Self {
        Self::new()
    }

    #[expect(clippy::unnecessary_wraps, reason = "workers on servers go by their own")]
    pub(crate) fn clock_of_workers(clock: &FakeClock) -> Option<&FakeClock> {
        Some(clock)
    }

    /// Where the databases lie.
    pub(crate) fn address(&self) -> String {
        self.0.display().to_string()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
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
