//! What comes into the build: no unsafe code of ours, and a list of crates that is known.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use steadfast_testkit::Shown;

/// Crates that somebody gets who embeds the engine with SQLite.
const EMBEDDED_MAX: usize = 100;
/// Crates that somebody gets who builds the program with all stores.
const PROGRAM_MAX: usize = 300;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All files below a folder with this ending.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.extension().is_some_and(|extension| extension == ending) {
            found.push(path);
        }
    }
    found
}

/// How many crates cargo names for this choice.
fn crates(choice: &[&str]) -> usize {
    let mut command = Command::new(env!("CARGO"));
    command.arg("tree").args(choice).args(["--prefix", "none", "--offline"]).current_dir(root());
    let lines = String::from_utf8(command.output().unwrap().stdout).unwrap();
    let named = lines.lines().map(|line| line.trim_end_matches(" (*)")).filter(|line| !line.is_empty());
    let named: BTreeSet<&str> = named.collect();
    assert!(!named.is_empty(), "cargo names no crates for {choice:?}");
    named.len()
}

#[test]
fn no_code_of_ours_is_unsafe() {
    let read = |path: &Path| std::fs::read_to_string(path).unwrap();
    assert!(read(&root().join("Cargo.toml")).contains("unsafe_code = \"forbid\""), "the lint is there");
    let homes = [root().join("crates"), root().join("bench")];
    let manifests: Vec<PathBuf> = homes.iter().flat_map(|home| files(home, "toml")).collect();
    let manifests: Vec<&PathBuf> = manifests.iter().filter(|path| path.ends_with("Cargo.toml")).collect();
    let is_bound = |manifest: &str| {
        // What stands outside the workspace has to say it itself.
        ["[lints]\nworkspace = true", "[lints.rust]\nunsafe_code = \"forbid\""]
            .iter()
            .any(|lint| manifest.contains(lint))
    };
    let unbound = manifests.iter().filter(|path| !is_bound(&read(path)));
    let unbound: Vec<_> = unbound.collect();
    Shown {
        promise: "supply chain",
        store: "all",
        done: format!("the {} crates of this project under `forbid(unsafe_code)`", manifests.len()),
        seen: format!("crates without it {}", unbound.len()),
        bar: "0".into(),
        ok: unbound.is_empty(),
    }
    .hold();
}

#[test]
fn the_crates_of_a_build_are_known() {
    let locked = std::fs::read_to_string(root().join("Cargo.lock")).unwrap();
    let (locked, foreign) = (
        locked.matches("[[package]]").count(),
        locked.lines().filter(|line| line.starts_with("source = \"git")).count(),
    );
    let embedded =
        crates(&["-p", "steadfast", "--no-default-features", "--features", "sqlite", "-e", "normal"]);
    let program = crates(&["-p", "steadfast-cli", "-e", "normal,build"]);
    Shown {
        promise: "supply chain",
        store: "all",
        done: "crates that come into a build".into(),
        seen: format!(
            "{embedded} with SQLite alone, {program} into the program with all stores, {locked} in the lock file with \
             tests, benches and other systems, from git {foreign}"
        ),
        bar: format!("{EMBEDDED_MAX} with SQLite alone, {PROGRAM_MAX} into the program, from git 0"),
        ok: foreign == 0 && embedded <= EMBEDDED_MAX && program <= PROGRAM_MAX,
    }
    .hold();
}
