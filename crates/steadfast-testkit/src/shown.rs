//! What a trial showed: a row of the page that people read.

use serde::Serialize;
use std::fs::OpenOptions;
use std::io::Write;

/// Names the file that rows are kept in; without it they are only printed.
const ROWS: &str = "STEADFAST_TRIALS_ROWS";

/// One promise, and what was seen of it. [`Shown::hold`] makes it count.
#[derive(Debug, Clone, Serialize)]
#[must_use]
pub struct Shown {
    /// As in the guarantees, or the name of what is promised beside them.
    pub promise: &'static str,
    /// On which store; `all` where it does not matter.
    pub store: &'static str,
    /// What was done to it.
    pub done: String,
    /// What came of it.
    pub seen: String,
    /// What had to come of it.
    pub bar: String,
    /// Whether it did.
    pub ok: bool,
}

impl Shown {
    /// Prints the row, keeps it, and fails the trial if the bar was not reached.
    #[track_caller]
    pub fn hold(self) {
        let Self { promise, store, done, seen, bar, ok } = &self;
        println!("{promise}, {store}: {done}: {seen} (bar: {bar})");
        if let Some(path) = std::env::var_os(ROWS) {
            let line = serde_json::to_string(&self).expect("plain texts");
            let mut file =
                OpenOptions::new().create(true).append(true).open(path).expect("the rows' file opens");
            // One write call: rows of several programs do not mix.
            file.write_all(format!("{line}\n").as_bytes()).expect("the row is written");
        }
        assert!(ok, "{promise}, {store}: {seen}, but the bar is {bar}");
    }
}
