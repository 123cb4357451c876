//! A folder of databases: all that SQLite has of a server.

/// Databases side by side. Dropped, they are removed.
pub(crate) struct Cluster(tempfile::TempDir);

impl Cluster {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
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
