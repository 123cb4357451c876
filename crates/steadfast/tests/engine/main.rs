//! The engine on the memory store: what a user sees, feature by feature.

// A test that cannot go on says so by a panic.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod adding;
mod buckets;
mod common;
mod due;
mod kinds;
mod limits;
mod lots;
mod outcomes;
mod rings;
mod stopping;
mod turns;
