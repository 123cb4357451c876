//! Bars for work that takes a while. They go to standard error, and only to a terminal.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar over so many things.
pub(crate) fn bar(n: u64, doing: &'static str) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} [{bar:30}] {pos}/{len} {per_sec}, {eta} left");
    ProgressBar::new(n).with_message(doing).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// A counter of things whose number nobody knows.
pub(crate) fn counter(doing: &'static str) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} {pos} {per_sec}");
    ProgressBar::no_length()
        .with_message(doing)
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
