//! The page of the trials: what was done to the engine, what was seen, and what had to be seen.

use crate::{Result, date, machine, place};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// One row, as a trial wrote it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Row {
    promise: String,
    store: String,
    done: String,
    seen: String,
    bar: String,
    ok: bool,
}

/// When, on what commits and where the rows were seen.
struct Seen {
    date: String,
    /// One, or several with the parts that were played at each.
    commits: String,
    machine: String,
}

/// Writes `docs/trials.md` and `docs/trials.json` from the rows of the last run of each part.
pub(crate) fn write() -> Result<()> {
    let folder = place::root().join("target/trials");
    let (mut text, mut last) = (String::new(), SystemTime::UNIX_EPOCH);
    let mut commits: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in parts(&folder)? {
        text.push_str(&std::fs::read_to_string(&path)?);
        last = last.max(std::fs::metadata(&path)?.modified()?);
        let commit = std::fs::read_to_string(path.with_extension("commit"))?;
        let part = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        commits.entry(commit.trim().to_owned()).or_default().push(part);
    }
    let rows = rows(&text)?;
    if rows.is_empty() {
        return Err(
            format!("no trial has left a row in {}; run `make trials` first", folder.display()).into()
        );
    }
    let seen = Seen { date: date::of(last), commits: told(&commits), machine: machine::describe() };
    let docs = place::root().join("docs");
    std::fs::write(docs.join("trials.md"), render(&rows, &seen))?;
    std::fs::write(docs.join("trials.json"), serde_json::to_string_pretty(&rows)? + "\n")?;
    println!("wrote docs/trials.md and docs/trials.json, {} rows", rows.len());
    Ok(())
}

/// The commits of all parts; which part was played at which, if they are not of one run.
fn told(commits: &BTreeMap<String, Vec<String>>) -> String {
    match commits.iter().collect::<Vec<_>>().as_slice() {
        [(commit, _)] => format!("commit {commit}"),
        several => {
            let one = |(commit, parts): &(&String, &Vec<String>)| format!("{commit} ({})", parts.join(", "));
            format!("commits {}", several.iter().map(one).collect::<Vec<_>>().join(" and "))
        }
    }
}

/// The files that parts left their rows in, by name.
fn parts(folder: &Path) -> Result<Vec<PathBuf>> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(Vec::new()) };
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    paths.sort();
    Ok(paths)
}

/// By promise and store, in the order in which they were seen.
fn rows(text: &str) -> Result<Vec<Row>> {
    let mut rows: Vec<Row> = text.lines().map(serde_json::from_str).collect::<std::result::Result<_, _>>()?;
    rows.sort_by_key(|row| (number(&row.promise), row.promise.clone(), row.store.clone()));
    Ok(rows)
}

/// Guarantees come in the order of their numbers, all else after them.
fn number(promise: &str) -> u32 {
    let digits: String = promise.chars().skip(1).take_while(char::is_ascii_digit).collect();
    digits.parse().ok().filter(|_| promise.starts_with('G')).unwrap_or(u32::MAX)
}

/// The commit that is measured.
pub(crate) fn commit() -> Result<String> {
    let output =
        Command::new("git").args(["describe", "--always", "--dirty"]).current_dir(place::root()).output()?;
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

fn render(rows: &[Row], seen: &Seen) -> String {
    let Seen { date, commits, machine } = seen;
    let mut page = format!(
        "# Trials\n\n\
         Seen on {date} at {commits}: {machine}.\n\n\
         Each row is written by the trial itself; a trial that misses its bar fails the run. A *kill* is `kill -9` of a real \
         process, a *stop* is SIGSTOP until its lease is over and then SIGCONT, a *crash* is a server that loses its memory. \
         What really happened is read from the database, by triggers that the workers do not know. The promises in full are in \
         [guarantees](guarantees.md), how the simulator and the model work is in [model](model.md). The same rows are in \
         [trials.json](trials.json). Repeat with `make trials`, which writes this page.\n"
    );
    for group in rows.chunk_by(|one, next| one.promise == next.promise) {
        render_group(&mut page, group);
    }
    page.push_str(LATER);
    page
}

fn render_group(page: &mut String, rows: &[Row]) {
    let promise = &rows[0].promise;
    // Writing to a string cannot fail.
    let _ = writeln!(page, "\n## {promise}\n");
    if let Some((_, words)) = WORDS.iter().find(|(name, _)| name == promise) {
        let _ = writeln!(page, "{words}\n");
    }
    let _ = writeln!(page, "| store | what was done | what was seen | bar | |\n|---|---|---|---|---|");
    for Row { store, done, seen, bar, ok, .. } in rows {
        let word = if *ok { "ok" } else { "**short**" };
        let _ = writeln!(page, "| {store} | {done} | {seen} | {bar} | {word} |");
    }
}

/// Each promise in words for whoever reads nothing else.
const WORDS: [(&str, &str); 22] = [
    (
        "G1 durable add",
        "A task whose add was acknowledged is never lost, and none appears that nobody added.",
    ),
    (
        "G2 one valid grant",
        "However many workers want a task, and however often they are told of it, one gets it.",
    ),
    ("G3 fenced finish", "A worker that was taken for dead can change nothing when it comes back."),
    (
        "G4 effects",
        "What a handler writes into the same database is there exactly once for each task that is done.",
    ),
    (
        "G4 effects elsewhere",
        "A system outside that compares the token of each run refuses whoever comes late.",
    ),
    (
        "G5 zombie window",
        "A handler that runs on in a worker without a lease is told to end as soon as that wakes up.",
    ),
    ("G6 recovery", "The tasks of a dead worker run again soon after its lease is over."),
    (
        "G7 lost hints",
        "Hints between workers may be lost or repeated: only time may suffer, and little of it.",
    ),
    (
        "G8 order",
        "The most urgent and the longest waiting go first, and nobody is held up by the backlog of another.",
    ),
    ("G9 limits", "No more runs at once than a limit allows, in a worker or across all of them."),
    ("G11 stop", "A worker that is told to leave gives back what it cannot end, and no attempt is counted."),
    ("cancel safety", "A call that its caller stops waiting for leaves nothing half done."),
    ("clock skew", "Clocks that jump or differ break no promise."),
    ("fuzz", "Whatever is read from outside is read or refused: no text makes the program panic."),
    ("load", "What waits costs those who run nothing."),
    ("one meaning on every store", "A task behaves the same on every store."),
    (
        "settles unknown commits",
        "A commit whose reply got lost is found out about: it happened once, or never.",
    ),
    (
        "simulated faults",
        "The engine in a world of chance: each seed is another day of crashes, freezes and lost calls.",
    ),
    ("supply chain", "No unsafe code of ours, and few crates of others."),
    ("survives a crash of its server", "Work goes on by itself when the server is back."),
    ("survives a failover", "A replica that lags takes over: what it lacks is lost, and nothing else."),
    (
        "the protocol itself",
        "The rules of holding and finishing tasks, as a model whose every order of events is searched.",
    ),
];

/// Promises that cannot be tried yet.
const LATER: &str = "\n## Not here yet\n\n\
    Each tick of a cron line makes one task (G10): with cron. Closed and safe REST: with the server. The last release and this \
    one side by side: with the second release.\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_named_only_if_they_are_not_of_one_commit() {
        let of = |pairs: &[(&str, &[&str])]| {
            let parts = |parts: &[&str]| parts.iter().map(|part| (*part).to_owned()).collect();
            told(&pairs.iter().map(|(commit, names)| ((*commit).to_owned(), parts(names))).collect())
        };
        assert_eq!(of(&[("abc", &["pace", "mysql"])]), "commit abc");
        assert_eq!(
            of(&[("abc", &["pace"]), ("def", &["mysql", "sqlite"])]),
            "commits abc (pace) and def (mysql, sqlite)"
        );
    }

    #[test]
    fn rows_stand_in_the_order_of_the_guarantees() {
        let row = |promise: &str, store: &str| {
            format!(
                r#"{{"promise":"{promise}","store":"{store}","done":"a","seen":"b","bar":"c","ok":true}}"#
            )
        };
        let text =
            [row("G10", "all"), row("simulated faults", "all"), row("G2", "sqlite"), row("G2", "postgres")];
        let rows = rows(&text.join("\n")).unwrap();
        let order: Vec<String> = rows.iter().map(|row| format!("{} {}", row.promise, row.store)).collect();
        assert_eq!(order, ["G2 postgres", "G2 sqlite", "G10 all", "simulated faults all"]);
        let seen =
            Seen { date: "2026-01-01".into(), commits: "commit abc".into(), machine: "2 cores".into() };
        let page = render(&rows, &seen);
        let heads: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        assert_eq!(heads, ["G2", "G10", "simulated faults", "Not here yet"]);
        assert!(page.contains("another day of crashes, freezes and lost calls.\n\n| store |"), "{page}");
        assert!(page.contains("| postgres | a | b | c | ok |\n| sqlite | a | b | c | ok |\n"), "{page}");
    }
}
