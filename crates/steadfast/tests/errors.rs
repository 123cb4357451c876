//! Every error code stands in docs/errors.md, and nothing else does.
// A test that cannot go on says so by a panic.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::BTreeSet;
use std::path::Path;
use steadfast::{Error, New, Refusal, StoreError};

fn text(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(path)).expect("a file of the project")
}

/// The codes as the sources give them: the right sides of the matches in every `fn code`. The compiler sees to it
/// that none is missing there.
fn codes() -> Vec<String> {
    let sources = ["crates/steadfast-core/src/error.rs", "crates/steadfast/src/error.rs"];
    let bodies = sources.map(text).join("\n");
    let bodies = bodies.split("fn code(").skip(1).map(|rest| rest.split("\n    }").next().unwrap_or(rest));
    let arms = bodies.flat_map(str::lines).filter_map(|line| line.split_once(" => \""));
    arms.map(|(_, code)| code.trim_end_matches("\",").to_owned()).collect()
}

/// The sections of the page whose headings are codes.
fn sections() -> Vec<(String, String)> {
    let page = text("docs/errors.md");
    let parts = page.split("\n### ").skip(1).filter_map(|part| part.split_once('\n'));
    parts.map(|(head, body)| (head.trim_matches('`').to_owned(), body.to_owned())).collect()
}

#[test]
fn the_page_of_errors_has_every_code_and_no_other() {
    let codes = codes();
    let known: BTreeSet<&str> = codes.iter().map(String::as_str).collect();
    assert!(known.len() > 25 && known.len() == codes.len(), "each code stands for one error: {codes:?}");
    for code in &known {
        assert!(code.chars().all(|letter| letter.is_ascii_lowercase() || "-8".contains(letter)), "`{code}`");
    }
    let sections = sections();
    let shown: BTreeSet<&str> = sections.iter().map(|(code, _)| code.as_str()).collect();
    assert_eq!(shown, known);
    assert_eq!(sections.len(), shown.len(), "no code has two sections");
}

#[test]
fn every_code_has_its_text_its_meaning_and_what_to_do() {
    for (code, body) in sections() {
        for part in ["\n> ", "\n**Means.** ", "\n**Do.** "] {
            assert!(body.contains(part), "`{code}` lacks `{}`", part.trim());
        }
    }
}

#[test]
fn a_code_is_the_same_at_every_level() {
    let refusal = Refusal::TwoKeys("a".into());
    assert_eq!(refusal.code(), "two-keys");
    assert_eq!(StoreError::from(refusal.clone()).code(), "two-keys");
    assert_eq!(Error::from(refusal).code(), "two-keys");
    assert_eq!(Error::from(StoreError::Down("the disk is full".into())).code(), "store-down");
}

#[tokio::test]
async fn errors_that_people_meet_have_the_texts_of_the_page() {
    let engine = steadfast::connect("memory:").await.unwrap().start().await.unwrap();
    let map: std::collections::BTreeMap<(u8, u8), u8> = [((1, 2), 3)].into();
    let many = (0..10_001).map(|_| New::kind("k", ""));
    let page = text("docs/errors.md");
    for (error, code) in [
        (engine.add(New::kind("", "")).await.unwrap_err(), "empty-text"),
        (engine.add(New::kind("k".repeat(201), "")).await.unwrap_err(), "text-too-long"),
        (engine.add(New::kind("k", "").search1("a\nb")).await.unwrap_err(), "control-character"),
        (engine.add(New::kind("k", "").priority(12)).await.unwrap_err(), "priority-out-of-range"),
        (engine.add(New::kind("k", vec![0; 20_000_000])).await.unwrap_err(), "payload-too-large"),
        (engine.add(New::json("mail", &map)).await.unwrap_err(), "payload-not-json"),
        (engine.add(New::kind("k", "").id("order-17").key("b")).await.unwrap_err(), "two-keys"),
        (engine.add_many(many).await.unwrap_err(), "too-many-tasks"),
        ("abc".parse::<steadfast::Cursor>().unwrap_err().into(), "bad-cursor"),
        (Refusal::NoWriteLock.into(), "no-write-lock"),
        (Refusal::Interrupted.into(), "transaction-interrupted"),
        (Refusal::ForeignEffects { made_for: "sqlite", store: "memory" }.into(), "foreign-effects"),
        (Refusal::InsideEffects.into(), "inside-effects"),
        (Error::Lost, "grant-lost"),
        (Error::Stopped, "engine-stopped"),
    ] {
        assert_eq!(error.code(), code);
        let shown = format!("### `{code}`\n\n> {error}\n");
        assert!(page.contains(&shown), "docs/errors.md does not say:\n{shown}");
    }
}
