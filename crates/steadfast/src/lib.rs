//! A durable task engine: tasks survive crashes and have one worker at a time, on an embedded or a shared database.
//!
//! ```no_run
//! use serde::{Deserialize, Serialize};
//! use steadfast::{Kinded, Run};
//!
//! #[derive(Serialize, Deserialize)]
//! struct Welcome(String);
//!
//! impl Kinded for Welcome {
//!     const KIND: &'static str = "mail.welcome";
//! }
//!
//! #[tokio::main]
//! async fn main() -> steadfast::Result<()> {
//!     let hello = |_: Run, mail: Welcome| async move { println!("welcome, {}", mail.0) };
//!     let engine = steadfast::connect("sqlite:tasks.db").await?.handle(hello).start().await?;
//!     engine.add(Welcome("Ada".into())).await?;
//!     tokio::signal::ctrl_c().await.ok();
//!     engine.drain().await.map(drop)
//! }
//! ```
//!
//! The way of a task: [`Engine::add`] → store → commit → hint → table → grab → [`Handler`] → decide → finish.
//! If its worker dies it is reaped; if a hint was lost or time must pass, the sweep finds it. There is no other path.
//!
//! Start with [`guides::start`]; [`guides::handlers`] has all that a handler can say and ask.

mod builder;
mod config;
mod connect;
mod contact;
mod dispatcher;
mod engine;
mod error;
// As tests, the guides need all stores.
#[cfg(any(doc, all(doctest, feature = "memory", feature = "postgres", feature = "sqlite")))]
pub mod guides;
mod handler;
mod handlers;
mod health;
mod leaser;
mod new;
mod news;
mod operate;
mod policies;
mod run;
mod runner;
mod settle;
mod shared;
mod shared_limits;
mod sweeper;
mod tokio_runtime;

pub use builder::Builder;
pub use config::Config;
pub use connect::connect;
pub use engine::Engine;
pub use error::{Error, Result};
pub use handler::{BoxError, Handler, IntoOutcome};
pub use new::{Kinded, New};
pub use news::Drained;
pub use run::Run;
pub use steadfast_core as core;
pub use steadfast_core::seam::Added;
pub use steadfast_core::{
    Act, Acted, Book, Bucket, Cursor, Deed, Fence, Filter, Finding, Grant, Guard, Hang, Key, Kind, Level,
    Limit, Outcome, Payload, Policy, Priority, Rate, Refusal, Repeat, Retention, Retry, Room, Scope, Status,
    StoreError, Task, TaskId, Time, Version, When, Why, WorkerId,
};
/// The memory store by itself, for tests: with a clock of your own, or shared by two engines.
#[cfg(feature = "memory")]
pub use steadfast_memory as memory;
/// The PostgreSQL store by itself: open it with options of your own, or add in a transaction of your own.
#[cfg(feature = "postgres")]
pub use steadfast_postgres as postgres;
/// The SQLite store by itself: open it with options of your own, or add in a transaction of your own.
#[cfg(feature = "sqlite")]
pub use steadfast_sqlite as sqlite;
