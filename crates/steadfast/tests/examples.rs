//! The examples run, and say what the README says.
// A test that cannot go on says so by a panic.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

fn example(name: &str) -> PathBuf {
    // Tests are built beside the examples, which cargo builds with them.
    let test = std::env::current_exe().expect("a test has a path");
    let target = test.parent().and_then(Path::parent).expect("a test lies in target");
    target.join("examples").join(name)
}

fn start(name: &str, folder: &Path) -> Child {
    Command::new(example(name))
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the example starts")
}

fn interrupt(child: &Child) {
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("kill runs").success());
}

#[test]
fn the_fifteen_lines_of_the_readme_are_the_example() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("../../README.md")).expect("a README");
    let code =
        readme.split("```rust\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a block of code");
    let example = std::fs::read_to_string(root.join("examples/welcome.rs")).expect("an example");
    assert_eq!(example.split_once('\n').expect("a line of documentation").1, code);
    assert!(code.lines().filter(|line| !line.trim().is_empty()).count() == 15, "it is called fifteen lines");
}

#[test]
fn welcome_runs_its_task_and_stops_when_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut child = start("welcome", folder.path());
    let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    assert_eq!(lines.next().expect("a line").expect("text"), "welcome, Ada");
    interrupt(&child);
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn crash_ends_with_its_sums_right() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = start("crash", folder.path()).wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("added 2000, done 2000, lost 0, finished twice 0"), "{text}");
}
