//! The trials of faults that every store has, on SQLite and real processes. Kills and stops are in `tests/trials.rs`; what
//! breaks a server or a wire has nothing to break here.
//!
//! A sample runs with the other tests. `STEADFAST_TRIALS=full` plays all, in minutes.
// This is test code: a trial that cannot go on says so by a panic.
#![allow(clippy::expect_used, clippy::unwrap_used)]

mod calls;
mod client;
mod cluster;
#[path = "../fault/mod.rs"]
mod fault;
mod locked;
mod trial;
