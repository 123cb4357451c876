//! Trials on real processes and a real PostgreSQL: workers are killed and stopped, the server is crashed, wires are cut, a
//! replica that lags is promoted. What happened is read from the database, by a trigger that the workers do not know.
//!
//! A sample runs with the other tests. `STEADFAST_TRIALS=full` plays all, in minutes. Each trial has a server of its own.
// This is test code: a trial that cannot go on says so by a panic.
#![allow(clippy::expect_used, clippy::unwrap_used)]

mod cluster;
mod crew;
mod deaths;
mod failover;
mod feed;
mod hints;
mod limits;
mod outages;
mod rolling;
mod serial;
mod wire;
mod witness;

use cluster::Cluster;
use std::sync::atomic::{AtomicU64, Ordering};
use steadfast::Engine;
use witness::Witness;

/// The longer of two sizes if all is to be played.
fn size<T>(sample: T, full: T) -> T {
    if std::env::var("STEADFAST_TRIALS").is_ok_and(|size| size == "full") { full } else { sample }
}

/// Where workers find a database.
fn url(address: &str, database: &str) -> String {
    format!("postgres://steadfast@{address}/{database}?sslmode=disable")
}

/// Makes a database for one trial.
async fn database(cluster: &Cluster) -> String {
    static DATABASES: AtomicU64 = AtomicU64::new(0);
    let name = format!("trial_{}", DATABASES.fetch_add(1, Ordering::Relaxed));
    let home = Witness::of_copy(url(&cluster.address(), "postgres")).client().await;
    home.batch_execute(&format!("create database {name}")).await.expect("a database");
    name
}

/// An engine that only adds.
async fn adder(url: &str) -> Engine {
    steadfast::connect(url).await.expect("the store opens").start().await.expect("the engine starts")
}
