//! The page of scenarios says what the sources say: which test shows which scenario.
// A test that cannot go on says so by a panic.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The names of tests by the id of the scenario that they show.
type Shown = BTreeMap<String, BTreeSet<String>>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Whether a word is the id of a scenario: `TP-01a`, `L-26`.
fn is_id(word: &str) -> bool {
    let Some((list, number)) = word.split_once('-') else { return false };
    let number = number.strip_suffix(|sign: char| sign.is_ascii_lowercase()).unwrap_or(number);
    (1..=2).contains(&list.len())
        && list.bytes().all(|sign| sign.is_ascii_uppercase())
        && number.len() == 2
        && number.bytes().all(|sign| sign.is_ascii_digit())
}

fn ids(text: &str) -> impl Iterator<Item = String> {
    text.split(|sign: char| sign != '-' && !sign.is_ascii_alphanumeric())
        .filter(|word| is_id(word))
        .map(str::to_owned)
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in folder.read_dir().expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

/// The function that a line begins.
fn function(line: &str) -> Option<&str> {
    let (before, rest) = line.split_once("fn ")?;
    let name = rest.split(|sign: char| sign != '_' && !sign.is_alphanumeric()).next()?;
    ["", "async "].contains(&before).then_some(name)
}

/// Ids stand in comments right above a test, among its attributes.
fn read(source: &str, shown: &mut Shown) {
    let mut above: Vec<String> = Vec::new();
    for line in source.lines().map(str::trim) {
        if line.starts_with("//") {
            above.extend(ids(line));
        } else if let Some(name) = function(line) {
            for id in above.drain(..) {
                shown.entry(id).or_default().insert(name.to_owned());
            }
        } else if !line.starts_with('#') {
            above.clear();
        }
    }
}

fn by_the_sources() -> Shown {
    let (mut files, mut shown) = (Vec::new(), Shown::new());
    sources(&root().join("crates"), &mut files);
    for file in files.into_iter().filter(|file| !file.ends_with("scenarios_page.rs")) {
        read(&std::fs::read_to_string(file).expect("a source"), &mut shown);
    }
    shown
}

/// Of rows that name tests; the others must say why not.
fn by_the_page() -> Shown {
    let page = std::fs::read_to_string(root().join("docs/scenarios.md")).expect("a page");
    let mut shown = Shown::new();
    for row in page.lines() {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let Some(id) = cells.first().and_then(|cell| ids(cell).next()) else { continue };
        let by = cells.get(2).expect("a third cell");
        if by.starts_with('`') {
            let names = by.split('`').skip(1).step_by(2).map(str::to_owned).collect();
            assert_eq!(shown.insert(id.clone(), names), None, "{id} is there twice");
        } else {
            assert!(by.starts_with("not there"), "{id} is neither shown nor said to be not there");
        }
    }
    shown
}

#[test]
fn every_scenario_of_the_page_is_shown_by_the_tests_it_names_and_no_others() {
    let (page, sources) = (by_the_page(), by_the_sources());
    assert!(page.len() > 100, "only {} scenarios were found", page.len());
    let all: BTreeSet<&String> = page.keys().chain(sources.keys()).collect();
    for id in all {
        assert_eq!(
            page.get(id),
            sources.get(id),
            "{id}: docs/scenarios.md and the comments above the tests differ"
        );
    }
}
