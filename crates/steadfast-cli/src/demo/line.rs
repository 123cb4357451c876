//! What a worker tells its parent: one JSON line an event, on its standard output.

use serde::{Deserialize, Serialize};
use std::io::Write;
use std::time::Duration;
use steadfast::Fence;

/// One event in a worker.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "event")]
pub(super) enum Line {
    /// It works, as this process.
    Up { process: u32 },
    /// A task's first run began, so long after it was ready.
    Started { kind: String, waited: Duration },
    /// A task waits for the clerk, who needs this token.
    Parked { token: Fence },
    /// It stopped as it was told to.
    Drained { given_back: usize },
}

/// Says it. Without anybody to listen there is nothing left to work for.
pub(super) fn say(line: &Line) {
    let Ok(mut text) = serde_json::to_string(line) else { return };
    text.push('\n');
    if std::io::stdout().lock().write_all(text.as_bytes()).is_err() {
        std::process::exit(1);
    }
}
