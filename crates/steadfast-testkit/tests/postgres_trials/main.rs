//! Trials on real processes and a real PostgreSQL: workers are killed and stopped, the server is crashed, wires are cut, a
//! replica that lags is promoted. What happened is read from the database, by a trigger that the workers do not know.
//!
//! A sample runs with the other tests. `STEADFAST_TRIALS=full` plays all, in minutes. Each trial has a server of its own.
// This is test code: a trial that cannot go on says so by a panic.
#![allow(clippy::expect_used, clippy::unwrap_used)]

mod caller;
mod calls;
mod client;
mod cluster;
mod failover;
#[path = "../fault/mod.rs"]
mod fault;
mod hints;
mod messages;
#[path = "../trial/mod.rs"]
mod trial;
