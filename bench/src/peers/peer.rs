//! The engines that Steadfast is set beside.

use crate::{Result, place};
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

/// Another task engine, with how much of each load is worth its time.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Peer {
    pub(crate) name: &'static str,
    /// As its manifest under `bench/peers` pins it.
    pub(crate) version: &'static str,
    pub(crate) language: Language,
    /// Its program: a binary, a file or a class.
    pub(super) program: &'static str,
    pub(super) sizes: Sizes,
}

/// Tasks of each race. Rates are compared, so a slow peer gets fewer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sizes {
    pub(super) drain: u32,
    pub(super) add: u32,
    pub(super) cycle: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    Rust,
    Node,
    Go,
    Python,
    Java,
}

const FAST: Sizes = Sizes { drain: 50_000, add: 2_000, cycle: 2_000 };
const SLOW: Sizes = Sizes { drain: 5_000, ..FAST };
const SLOWEST: Sizes = Sizes { drain: 1_000, add: 1_000, cycle: 500 };

/// In the order of the page where nothing else decides.
#[rustfmt::skip]
pub(super) const ALL: &[Peer] = &[
    Peer { name: "graphile_worker", version: "0.14.1", language: Language::Rust, program: "graphile_worker", sizes: FAST },
    Peer { name: "apalis", version: "1.0.0", language: Language::Rust, program: "apalis", sizes: FAST },
    Peer { name: "graphile-worker", version: "0.18.0", language: Language::Node, program: "graphile-worker.js", sizes: FAST },
    Peer { name: "pg-boss", version: "12.35.0", language: Language::Node, program: "pg-boss.js", sizes: FAST },
    Peer { name: "river", version: "0.51.0", language: Language::Go, program: "river", sizes: FAST },
    Peer { name: "procrastinate", version: "3.10.0", language: Language::Python, program: "procrastinate_peer.py", sizes: SLOWEST },
    Peer { name: "awa", version: "0.6.9", language: Language::Rust, program: "awa", sizes: FAST },
    Peer { name: "sqlxmq", version: "0.6.0", language: Language::Rust, program: "sqlxmq", sizes: SLOWEST },
    Peer { name: "riverqueue", version: "0.5.0", language: Language::Rust, program: "riverqueue", sizes: SLOW },
    Peer { name: "db-scheduler", version: "16.12.0", language: Language::Java, program: "peers.DbScheduler", sizes: SLOW },
    Peer { name: "killbill-queue", version: "0.26.15", language: Language::Java, program: "peers.KillbillQueue", sizes: SLOW },
];

/// Engines that have no program here, and why.
pub(super) const ABSENT: &[(&str, &str)] = &[(
    "TwTasks",
    "it cannot be fetched: Maven Central answers that it has none of `com.transferwise.tasks:tw-tasks-core` 1.0.0 to 1.52.7, and no `tw-tasks-executor`, which was its name before",
)];

impl Peer {
    pub(super) fn find(name: &str) -> Result<&'static Self> {
        let known = || ALL.iter().map(|peer| peer.name).collect::<Vec<_>>().join(", ");
        let found = ALL.iter().find(|peer| peer.name == name);
        found.ok_or_else(|| format!("unknown peer `{name}` (known: {})", known()).into())
    }

    /// Its program, built before.
    pub(super) fn command(&self) -> Command {
        let built = place::root().join("target/peers").join(self.language.folder());
        match self.language {
            Language::Rust => Command::new(built.join("release").join(self.program)),
            Language::Go => Command::new(built.join(self.program)),
            Language::Node => of_words(Path::new("node"), [built.join(self.program)]),
            Language::Python => of_words(&built.join("bin/python"), [built.join(self.program)]),
            Language::Java => {
                let path = format!("{0}/classes:{0}/lib/*", built.display());
                let quiet = "-Dorg.slf4j.simpleLogger.defaultLogLevel=error";
                of_words(Path::new("java"), [quiet, "-cp", &path, self.program])
            }
        }
    }
}

fn of_words<T: AsRef<OsStr>>(program: &Path, words: impl IntoIterator<Item = T>) -> Command {
    let mut command = Command::new(program);
    command.args(words);
    command
}

impl Language {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Rust => "Rust",
            Self::Node => "Node",
            Self::Go => "Go",
            Self::Python => "Python",
            Self::Java => "Java",
        }
    }

    /// Where its peers lie under `bench/peers`, and what is built of them under `target/peers`.
    pub(super) const fn folder(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::Node => "node",
            Self::Go => "go",
            Self::Python => "python",
            Self::Java => "java",
        }
    }

    /// The file that pins their versions.
    #[cfg(test)]
    const fn manifest(self) -> &'static str {
        match self {
            Self::Rust => "Cargo.toml",
            Self::Node => "package.json",
            Self::Go => "go.mod",
            Self::Python => "requirements.txt",
            Self::Java => "pom.xml",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_versions_are_those_of_the_manifests() {
        for peer in ALL {
            let folder = place::root().join("bench/peers").join(peer.language.folder());
            let manifest = std::fs::read_to_string(folder.join(peer.language.manifest())).unwrap();
            let pinned = manifest.split_whitespace().any(|word| word.contains(peer.version));
            assert!(pinned, "{} {} is not in {}", peer.name, peer.version, peer.language.manifest());
        }
    }

    #[test]
    fn an_unknown_peer_is_told_the_known_ones() {
        assert!(Peer::find("pegasus").unwrap_err().to_string().contains("known: graphile_worker, "));
    }
}
