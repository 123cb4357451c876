//! A wall clock that processes share and that can be set, by libfaketime. Their monotonic clocks stay as they are.

use std::path::PathBuf;

/// A clock in a file. Dropped, it is gone; processes that go by it must have ended before.
pub(crate) struct FakeClock(tempfile::TempDir);

impl FakeClock {
    /// One that is right.
    pub(crate) fn new() -> Self {
        let clock = Self(tempfile::tempdir().expect("a folder"));
        // The server's owner reads it, too.
        std::fs::set_permissions(clock.0.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .expect("it can be read");
        clock.set(0);
        clock
    }

    /// Sets it so many seconds before or behind, at once for all.
    pub(crate) fn set(&self, seconds: i64) {
        // Written beside and moved: whoever reads meanwhile reads one or the other.
        let new = self.0.path().join("new");
        std::fs::write(&new, format!("{seconds:+}\n")).expect("it is written");
        std::fs::rename(new, self.file()).expect("it is set");
    }

    /// What a program that goes by it must find in its environment.
    pub(crate) fn variables(&self) -> [(&'static str, String); 4] {
        [
            ("LD_PRELOAD", library().display().to_string()),
            ("FAKETIME_TIMESTAMP_FILE", self.file().display().to_string()),
            ("FAKETIME_NO_CACHE", "1".to_owned()),
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
        ]
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("clock")
    }
}

fn library() -> PathBuf {
    let homes = std::fs::read_dir("/usr/lib").into_iter().flatten().flatten();
    let mut libraries = homes.map(|home| home.path().join("faketime/libfaketimeMT.so.1"));
    libraries.find(|library| library.exists()).expect("libfaketime is not installed; run `make prepare`")
}
