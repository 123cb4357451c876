//! What the trials on servers share: workers, what feeds them, who watches, and the trials that every server has.
//!
//! Each program brings the same four nouns for its own server: a `Cluster` to be crashed, a `Client` that asks it, the
//! `messages` that a wire carries, and in `witness.sql` the tables `trial_*`. All statements here ask those alone, in
//! words that every server knows.

pub(crate) mod crew;
pub(crate) mod crowd;
mod deaths;
pub(crate) mod feed;
mod hearing;
mod limits;
mod outages;
pub(crate) mod process;
mod rolling;
mod serial;
mod storm;
pub(crate) mod wire;
pub(crate) mod witness;
mod zombies;

use crate::client::{self, Client};
use crate::cluster::Cluster;
use std::sync::atomic::{AtomicU64, Ordering};
use steadfast::Engine;
use steadfast_testkit::Shown;

/// The longer of two sizes if all is to be played.
pub(crate) fn size<T>(sample: T, full: T) -> T {
    if std::env::var("STEADFAST_TRIALS").is_ok_and(|size| size == "full") { full } else { sample }
}

/// Says what was seen of a promise on this server, and that it had to be.
#[track_caller]
pub(crate) fn shown(promise: &'static str, done: String, seen: String, bar: impl Into<String>, ok: bool) {
    Shown { promise, store: client::STORE, done, seen, bar: bar.into(), ok }.hold();
}

/// Makes a database for one trial.
pub(crate) async fn database(cluster: &Cluster) -> String {
    static DATABASES: AtomicU64 = AtomicU64::new(0);
    let name = format!("trial_{}", DATABASES.fetch_add(1, Ordering::Relaxed));
    let mut home = Client::open(&cluster.address(), client::HOME).await.expect("a connection");
    home.run(&format!("create database {name}")).await;
    name
}

/// An engine that only adds.
pub(crate) async fn adder(url: &str) -> Engine {
    steadfast::connect(url).await.expect("the store opens").start().await.expect("the engine starts")
}
