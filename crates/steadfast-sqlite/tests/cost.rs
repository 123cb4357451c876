//! What a task costs SQLite, counted: statements, steps of its machine, bytes that are written.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says so by panicking")]

mod common;

use common::file;
use std::sync::Arc;
use steadfast_sqlite::{Call, Options, SqliteStore};
use steadfast_testkit::cost::{self, Bounds, Count, Figures, Load};

const FIGURES: Figures = ["statements", "steps of SQLite's machine", "bytes written"];
const BOUNDS: [(Load, Bounds<3>); 4] = [
    (Load::Lone, Bounds([3.16, 420.0, 54_000.0])),
    (Load::Crowd, Bounds([0.149, 159.0, 1_090.0])),
    (Load::Backlog, Bounds([0.124, 219.0, 2_720.0])),
    (Load::Kept, Bounds([0.209, 331.0, 4_600.0])),
];

#[tokio::test]
async fn a_task_costs_no_more_than_its_bounds() {
    let mut folders = Vec::new();
    let open = async || {
        let (folder, path) = file();
        folders.push(folder);
        let mut options = Options::default();
        options.count_steps = true;
        Arc::new(SqliteStore::open(path, options).unwrap())
    };
    cost::hold("sqlite", FIGURES, &BOUNDS, open, async |store| count(store)).await;
}

fn count(store: &SqliteStore) -> Count<3> {
    let counters = store.counters();
    let costs = Call::ALL.map(|call| counters.of(call));
    Count([
        costs.iter().map(|cost| cost.statements).sum(),
        costs.iter().map(|cost| cost.steps).sum(),
        written_bytes(),
    ])
}

/// What this process has handed to the kernel to write: to the log, and from there to the file.
fn written_bytes() -> u64 {
    let io = std::fs::read_to_string("/proc/self/io").unwrap();
    let line = io.lines().find_map(|line| line.strip_prefix("wchar: ")).expect("a line");
    line.parse().unwrap()
}
