//! The page of the trials: what was done to the engine, what was seen, and what had to be seen.

use crate::{Result, date, machine, place};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::process::Command;

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

/// When, on what commit and where the rows were seen.
struct Seen {
    date: String,
    commit: String,
    machine: String,
}

/// Writes `docs/trials.md` and `docs/trials.json` from the rows of the last run.
pub(crate) fn write() -> Result<()> {
    let path = place::root().join("target/trials/rows.jsonl");
    let text = std::fs::read_to_string(&path).map_err(|error| {
        format!("no trial has left a row ({}: {error}); run `make trials` first", path.display())
    })?;
    let rows = rows(&text)?;
    let date = date::of(std::fs::metadata(&path)?.modified()?);
    let seen = Seen { date, commit: commit()?, machine: machine::describe() };
    let docs = place::root().join("docs");
    std::fs::write(docs.join("trials.md"), render(&rows, &seen))?;
    std::fs::write(docs.join("trials.json"), serde_json::to_string_pretty(&rows)? + "\n")?;
    println!("wrote docs/trials.md and docs/trials.json, {} rows", rows.len());
    Ok(())
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
    let Seen { date, commit, machine } = seen;
    let mut page = format!(
        "# Trials\n\n\
         Seen on {date} at commit {commit}: {machine}.\n\n\
         Each row is written by the trial itself, on real processes and servers; a trial that misses its bar fails the \
         run. What G1 to G11 promise is in [guarantees](guarantees.md). The same rows are in [trials.json](trials.json). \
         Repeat with `make trials`, which writes this page.\n\n\
         | promise | store | what was done | what was seen | bar | |\n|---|---|---|---|---|---|\n"
    );
    for Row { promise, store, done, seen, bar, ok } in rows {
        let word = if *ok { "ok" } else { "**short**" };
        // Writing to a string cannot fail.
        let _ = writeln!(page, "| {promise} | {store} | {done} | {seen} | {bar} | {word} |");
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let seen = Seen { date: "2026-01-01".into(), commit: "abc".into(), machine: "2 cores".into() };
        assert!(render(&rows, &seen).ends_with("| simulated faults | all | a | b | c | ok |\n"));
    }
}
