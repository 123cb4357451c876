//! What a trial tells its worker, as words like `lease_ms=2000`.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::time::Duration;

/// The words after the three names.
pub(crate) struct Options(BTreeMap<String, String>);

const KNOWN: [&str; 17] = [
    "lease_ms",
    "slots",
    "grace_ms",
    "work_ms",
    "adds",
    "waves",
    "deadline_ms",
    "memory_mb",
    "sleep_ms",
    "sleepers",
    "only",
    "payload",
    "point",
    "nth",
    "deed",
    "limit",
    "waits",
];

impl Options {
    pub(crate) fn new(words: &[String]) -> Self {
        let pair = |word: &String| {
            let (name, value) = word.split_once('=').expect("name=value");
            assert!(KNOWN.contains(&name), "unknown word `{name}` (known: {})", KNOWN.join(", "));
            (name.to_owned(), value.to_owned())
        };
        Self(words.iter().map(pair).collect())
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// A number, if it was said.
    pub(crate) fn number<T: FromStr>(&self, name: &str) -> Option<T> {
        self.text(name).map(|text| text.parse().ok().expect("a number"))
    }

    pub(crate) fn ms(&self, name: &str, usual: Duration) -> Duration {
        self.number(name).map_or(usual, Duration::from_millis)
    }
}
