//! The pages of the project lead to each other: every relative link has a file, and every anchor a heading.
// A test that cannot go on says so by a panic.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn pages() -> Vec<PathBuf> {
    let folders = [root(), root().join("docs"), root().join("docs/decisions")];
    let entries = folders.iter().flat_map(|folder| folder.read_dir().expect("a folder"));
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.filter(|path| path.extension().is_some_and(|end| end == "md")).collect()
}

/// The text without its blocks of code, where brackets mean something else.
fn prose(page: &Path) -> String {
    let text = std::fs::read_to_string(page).expect("a page");
    text.split("\n```").step_by(2).collect()
}

/// The targets of `[text](target)` and of `[name]: target`.
fn links(prose: &str) -> Vec<&str> {
    let inline = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let defined =
        prose.lines().filter(|line| line.starts_with('[')).filter_map(|line| line.split_once("]: "));
    inline.chain(defined.map(|(_, target)| target)).collect()
}

/// The anchors that headings get: lower case, words joined by dashes, no signs.
fn anchors(prose: &str) -> Vec<String> {
    let heads = prose.lines().filter(|line| line.starts_with('#'));
    let words = heads.map(|head| head.trim_start_matches('#').trim().to_lowercase().replace(' ', "-"));
    words.map(|head| head.chars().filter(|sign| sign.is_alphanumeric() || *sign == '-').collect()).collect()
}

#[test]
fn every_link_between_pages_leads_somewhere() {
    let mut seen = 0;
    for page in pages() {
        let text = prose(&page);
        for link in links(&text).into_iter().filter(|link| !link.contains("://")) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.clone() } else { page.with_file_name("").join(file) };
            assert!(target.exists(), "{} leads to `{link}`, which is not there", page.display());
            let known = anchor.is_empty() || anchors(&prose(&target)).iter().any(|head| head == anchor);
            assert!(known, "{} leads to `{link}`, and no heading is called so", page.display());
            seen += 1;
        }
    }
    assert!(seen > 20, "only {seen} links were found");
}
