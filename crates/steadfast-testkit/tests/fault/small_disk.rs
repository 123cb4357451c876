//! A disk that is soon full.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;

/// The folder on it.
pub(crate) const SMALL: &str = "small";

/// A file system in memory. Dropped, it is gone; whoever writes to it must have ended before.
pub(crate) struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    /// None where nobody may mount one.
    pub(crate) fn mount(megabytes: u64) -> Option<Self> {
        // Not below the system's folder for temporary files, which may be closed to the server's owner.
        let folder = tempfile::tempdir_in("/var/tmp").expect("a folder");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={megabytes}m,mode=755"), "tmpfs"]).arg(folder.path());
        mount.status().is_ok_and(|status| status.success()).then_some(Self(folder))
    }

    /// A folder on it.
    pub(crate) fn folder(&self) -> PathBuf {
        self.0.path().join(SMALL)
    }

    /// Leaves so many megabytes of room and no more.
    pub(crate) fn fill(&self, left: u64) {
        let mut ballast = File::create(self.ballast()).expect("a file");
        let megabyte = vec![0; 1024 * 1024];
        for _ in 0..(self.free() / (1024 * 1024)).saturating_sub(left) {
            ballast.write_all(&megabyte).expect("there is room");
        }
    }

    /// Makes room again.
    pub(crate) fn clear(&self) {
        std::fs::remove_file(self.ballast()).expect("it is there");
    }

    fn free(&self) -> u64 {
        let asked = Command::new("df").args(["--output=avail", "-B1"]).arg(self.0.path()).output();
        let said = String::from_utf8(asked.expect("df runs").stdout).expect("a text");
        said.lines().last().and_then(|bytes| bytes.trim().parse().ok()).expect("a number")
    }

    fn ballast(&self) -> PathBuf {
        self.0.path().join("ballast")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily: a process that was killed may take a moment to let go.
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}
