//! Where the bench reads and writes, all inside the workspace.

use crate::Result;
use std::path::{Path, PathBuf};
use std::process::Command;

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

/// A directory for one sample's database, on the disk of the workspace, removed at its end.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str) -> Result<Self> {
        let path = root().join("target/bench").join(format!("{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path)?;
        Ok(Self(path))
    }

    /// A file of this name that is not there yet.
    pub(crate) fn database(&self, name: &str) -> PathBuf {
        self.0.join(format!("{name}.db"))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left over lies in the target directory and harms nobody.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
