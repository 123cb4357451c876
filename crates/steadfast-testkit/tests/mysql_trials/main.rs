//! Trials on real processes and a real MariaDB: workers are killed and stopped, the server is crashed, wires are cut. What
//! happened is read from the database, by triggers that the workers do not know.
//!
//! A sample runs with the other tests. `STEADFAST_TRIALS=full` plays all, in minutes. Each trial that crashes its server
//! has one of its own.
// This is test code: a trial that cannot go on says so by a panic.
#![allow(clippy::expect_used, clippy::unwrap_used)]

mod apart;
mod backlog;
mod caller;
mod calls;
mod client;
mod cluster;
#[path = "../fault/mod.rs"]
mod fault;
mod idle;
mod messages;
mod once;
mod rush;
#[path = "../trial/mod.rs"]
mod trial;
