//! The examples run, and say what the README says.
// A test that cannot go on says so by a panic.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// How long an example may take on a machine that has much else to do; most take a part of a second.
const RUN_MAX: Duration = Duration::from_secs(90);

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

/// What an example prints from its start to its end. One that does not end is ended, and says what it printed.
fn run(name: &str, folder: &Path) -> String {
    let mut child = start(name, folder);
    let mut stdout = child.stdout.take().expect("its output");
    let (sender, printed) = mpsc::channel();
    std::thread::spawn(move || {
        let mut text = String::new();
        let read = stdout.read_to_string(&mut text).map(|_| ());
        sender.send((text, read))
    });
    let in_time = printed.recv_timeout(RUN_MAX);
    if in_time.is_err() {
        child.kill().expect("it can be ended");
    }
    let status = child.wait().expect("it ends");
    let (text, read) = in_time.or_else(|_| printed.recv()).expect("its reader ends with it");
    assert!(status.success() && read.is_ok(), "{name}: {status}, {read:?}\n{text}");
    text
}

fn interrupt(child: &Child) {
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("kill runs").success());
}

/// The examples that end by themselves, with lines of theirs in the order in which they are printed.
const EXAMPLES: [(&str, &[&str]); 22] = [
    (
        "around",
        &[
            "order begins",
            "mail.receipt begins",
            "receipt for north",
            "2 runs ended well in trace 0af7651916cd43dd8448eb211c80319c",
        ],
    ),
    ("buckets", &["report began in bucket slow", "mail ran in bucket default", "report ended"]),
    ("callback", &["before the call: parked", "after the call: done", "a second call changes nothing"]),
    ("effects", &["done after 2 attempts, 750 cents left"]),
    (
        "identity",
        &[
            "Ada: submitted",
            "Ada: the document says ADA",
            "done at step `face match`: Ada is who they say",
            "Bob: no call, so we ask for 17",
            "done at step `face match`: Bob is who they say",
            "Eve: no call, so we ask for 17",
            "done at step `face match`: Eve is who they say",
            "left behind by the first: 0",
        ],
    ),
    (
        "keys",
        &[
            "second add: fresh false, the same task true",
            "after its end: fresh false, the same task true",
            "it ran once: true",
        ],
    ),
    ("limits", &["bank calls: 10", "at once, at most: 2", "the mail waited for all of them: false"]),
    ("memory", &["an hour later it failed once and waits", "ten seconds later: reminded"]),
    (
        "operating",
        &[
            "error: no such customer",
            "run again: error is ready",
            "refused: stale-version",
            "acknowledge: error is failed",
            "pause: waiting is paused",
            "release: paused is waiting",
            "cancel: waiting is cancelled",
        ],
    ),
    ("own_transaction", &["a book: rolled back", "shipped: a lamp", "orders: 1, more to ship: false"]),
    (
        "payouts",
        &[
            "the bank does not answer",
            "account 5 gets 1999 cents",
            "done after 1 failure: Some(\"the bank does not answer\")",
        ],
    ),
    (
        "prefix",
        &[
            "mail.welcome: any mail",
            "mail.bulk.may: bulk mail",
            "mail.urgent|SHOP: urgent mail",
            "mail.urgent|BANK: urgent mail of the bank",
        ],
    ),
    (
        "priorities",
        &[
            "priority 0: password reset",
            "priority 5: receipt",
            "priority 5: receipt 2",
            "priority 9: newsletter",
        ],
    ),
    ("progress", &["running: 25 %", "running: 75 %", "done: 1,204 rows, 3 of them twice"]),
    ("rates", &["21 calls in a second, not sooner: true", "the mail waited for all of them: false"]),
    (
        "registered",
        &[
            "mail.welcome: welcome, Ada",
            "pay: 1999 cents are on their way",
            "mail.fax: retired: nothing was done",
            "no handler for `mail.welcom` in this engine (known: mail.welcome, pay)",
        ],
    ),
    (
        "retries",
        &[
            "letter: done after 2 failures",
            "poster: error after 3 failures",
            "poster: a person has to look: the printer is jammed",
        ],
    ),
    (
        "scheduled",
        &[
            "ran at once",
            "ran after a delay",
            "ran at a time",
            "not before its time: true",
            "next year's is waiting",
        ],
    ),
    ("serial", &["account-1: [1, 2, 3, 4]", "account-2: [1, 2, 3, 4]", "account-3: [1, 2, 3, 4]"]),
    (
        "shutdown",
        &[
            "the run of 100 ms ended",
            "the run of 60000 ms was told to stop",
            "given back 1, left behind 0",
            "short: done, attempts that count: 1",
            "long: ready, attempts that count: 0",
        ],
    ),
    (
        "steps",
        &["step scan, attempt 1", "step compare, attempt 1", "step decide, attempt 2", "done: accepted"],
    ),
    (
        "versions",
        &[
            "to ada: 2000 letters, stored in under 100 bytes: true",
            "to bob and cyd: 1800 letters, stored in under 100 bytes: true",
        ],
    ),
];

/// Whether these lines are among the printed ones, in this order.
fn check(printed: &str, expected: &[&str]) -> bool {
    let mut lines = printed.lines();
    expected.iter().all(|wanted| lines.any(|line| line == *wanted))
}

#[test]
fn every_feature_has_an_example_that_does_what_it_says() {
    for (name, expected) in EXAMPLES {
        let folder = tempfile::tempdir().expect("a folder");
        let printed = run(name, folder.path());
        assert!(check(&printed, expected), "{name} does not say {expected:#?} but:\n{printed}");
        assert!(folder.path().read_dir().expect("its folder").next().is_none(), "{name} leaves files behind");
    }
}

#[test]
fn no_example_goes_unrun() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let names = folder.read_dir().expect("the examples").map(|entry| entry.expect("an entry").path());
    let run: Vec<&str> = EXAMPLES.iter().map(|(name, _)| *name).chain(["welcome", "crash"]).collect();
    for path in names {
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name");
        assert!(run.contains(&name), "{name} is not in the table");
    }
}

/// A block of code of the README, and an example's text.
fn block_and_example(nth: usize, name: &str) -> (String, String) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("../../README.md")).expect("a README");
    let block = readme.split("```rust\n").nth(nth).and_then(|rest| rest.split("```").next());
    let example = std::fs::read_to_string(root.join(format!("examples/{name}.rs"))).expect("an example");
    (block.expect("a block of code").to_owned(), example)
}

#[test]
fn the_fifteen_lines_of_the_readme_are_the_example() {
    let (code, example) = block_and_example(1, "welcome");
    assert_eq!(example.split_once('\n').expect("a line of documentation").1, code);
    assert!(code.lines().filter(|line| !line.trim().is_empty()).count() == 15, "it is called fifteen lines");
}

#[test]
fn the_payouts_of_the_readme_are_part_of_the_example() {
    let (code, example) = block_and_example(2, "payouts");
    let inside: String = code.lines().flat_map(|line| ["    ", line, "\n"]).collect();
    assert!(example.contains(&inside), "the example does not have:\n{inside}");
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
    let text = run("crash", folder.path());
    assert!(text.contains("added 2000, done 2000, lost 0, finished twice 0"), "{text}");
}
