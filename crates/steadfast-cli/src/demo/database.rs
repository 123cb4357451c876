//! Where the demo's tasks are: a file of its own, never one that somebody else uses.

use crate::database;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// The demo's database file, and its folder if that is ours to remove.
pub(super) struct Database {
    file: PathBuf,
    kept: bool,
    _folder: Option<tempfile::TempDir>,
}

impl Database {
    /// The file that the URL names, or one in a temporary folder.
    pub(super) fn new(url: Option<String>) -> Result<Self> {
        let Some(url) = url else {
            let folder = tempfile::Builder::new()
                .prefix("steadfast-demo-")
                .tempdir()
                .context("no temporary folder")?;
            let file = folder.path().join("tasks.db");
            return Ok(Self { file, kept: false, _folder: Some(folder) });
        };
        let Some(path) = database::file_of(&url) else {
            bail!("the demo runs on SQLite only; say --keep sqlite:FILE");
        };
        let file = PathBuf::from(path);
        // The demo adds 10,000 payouts and kills workers: nothing to do to somebody's own tasks.
        if file.exists() {
            bail!("{} exists already; the demo needs a new file, remove it or name another", file.display());
        }
        Ok(Self { file, kept: true, _folder: None })
    }

    pub(super) fn file(&self) -> &Path {
        &self.file
    }

    /// Whether the file is there when the demo is over.
    pub(super) fn is_kept(&self) -> bool {
        self.kept
    }

    /// As the engine and the children are told.
    pub(super) fn url(&self) -> String {
        format!("sqlite:{}", self.file.display())
    }
}
