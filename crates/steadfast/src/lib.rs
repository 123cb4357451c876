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

mod around;
mod builder;
mod codec;
mod commit;
mod config;
mod connect;
mod contact;
mod declared;
mod dispatcher;
mod dues;
mod eject;
mod engine;
mod error;
// As tests, the guides need all stores.
#[cfg(any(
    doc,
    all(doctest, feature = "mysql", feature = "postgres", feature = "sqlite", feature = "testing")
))]
pub mod guides;
mod handler;
mod handlers;
mod health;
mod leaser;
mod lot;
mod machine;
mod new;
mod news;
mod operate;
mod packing;
mod policies;
mod reading;
#[doc(hidden)]
pub mod registry;
mod rewrite;
mod run;
mod runner;
mod settle;
mod shared;
mod shared_limits;
mod step;
mod sweeper;
#[cfg(feature = "testing")]
pub mod testing;
mod tokio_runtime;
mod trace;
mod upcast;
mod walker;

pub use around::Rest;
pub use builder::Builder;
pub use config::Config;
pub use connect::connect;
pub use engine::Engine;
pub use error::{Error, Result};
pub use handler::{BoxError, Handler, IntoOutcome};
pub use machine::Machine;
pub use new::{Kinded, New};
pub use news::Drained;
pub use rewrite::Rewrite;
pub use run::Run;
pub use steadfast_core as core;
pub use steadfast_core::seam::Added;
pub use steadfast_core::{
    Act, Acted, Book, Bucket, Compress, Compression, Cursor, Deed, Fence, Filter, Finding, Grant, Guard,
    Hang, Key, Kind, Level, Limit, Outcome, Payload, Policy, Priority, Rate, Refusal, Repeat, Retention,
    Retry, Room, Scope, Status, StoreError, Task, TaskId, Then, Time, TraceContext, Version, When, Why,
    WorkerId,
};
/// Registers an async function as the handler of a kind, where it is written. [`Builder::registered`] takes all of them.
///
/// ```standalone_crate
/// use std::time::Duration;
/// use steadfast::{BoxError, Kinded, Policy, Run};
///
/// #[derive(serde::Serialize, serde::Deserialize)]
/// struct Welcome { to: String }
///
/// impl Kinded for Welcome {
///     const KIND: &'static str = "mail.welcome";
/// }
///
/// #[steadfast::task(retry = ["1s", "5s", "30s"], deadline = "2m", limit = 15)]
/// async fn welcome(run: Run, mail: Welcome) -> Result<(), BoxError> {
///     run.output(format!("welcomed {}", mail.to));
///     Ok(())
/// }
///
/// #[steadfast::task(kind = "report.nightly", bucket = "slow", priority = 9, at_most_once, policy = short)]
/// async fn report(run: Run) {}
///
/// fn short(policy: &mut Policy) {
///     policy.key_window = Duration::from_secs(60);
/// }
///
/// #[tokio::main]
/// async fn main() -> steadfast::Result<()> {
///     # #[cfg(feature = "memory")] {
///     let engine = steadfast::connect("memory:").await?.registered().start().await?;
///     let id = engine.add(Welcome { to: "ada".into() }).await?.id;
///     let task = engine.wait(id).await?.expect("the history has it");
///     assert_eq!(task.output.as_deref(), Some("welcomed ada"));
///     # }
///     Ok(())
/// }
/// ```
///
/// | option | means |
/// |---|---|
/// | `kind = "mail.welcome"` | the kind; without it, the payload type's own ([`Kinded::KIND`]) |
/// | `retry = ["1s", "5s"]` | the delays after each failure |
/// | `retry = 3` | so many more tries, after the delays of the default |
/// | `deadline = "2m"` | how long a run may take |
/// | `bucket = "slow"` | where its tasks are added |
/// | `priority = 9` | 0 most urgent to 9, unless the adder says otherwise |
/// | `limit = 15` | runs at once in a worker |
/// | `at_most_once` | a run that may have done its work never runs again by itself |
/// | `policy = function` | a `fn(&mut Policy)` for everything else, called last |
///
/// The function takes its run and, if it has one, its payload. What it needs besides comes from a static, or it is
/// registered in code: [`Builder::register`].
///
/// A payload type without a kind is refused when the program is built:
///
/// ```compile_fail,E0277
/// #[derive(serde::Deserialize)]
/// struct Welcome { to: String }
///
/// #[steadfast::task]
/// async fn welcome(run: steadfast::Run, mail: Welcome) {}
/// ```
pub use steadfast_macros::task;
/// The memory store by itself, for tests: with a clock of your own, or shared by two engines.
#[cfg(feature = "memory")]
pub use steadfast_memory as memory;
/// The MariaDB and MySQL store by itself: open it with options of your own, or add in a transaction of your own.
#[cfg(feature = "mysql")]
pub use steadfast_mysql as mysql;
/// The PostgreSQL store by itself: open it with options of your own, or add in a transaction of your own.
#[cfg(feature = "postgres")]
pub use steadfast_postgres as postgres;
/// The SQLite store by itself: open it with options of your own, or add in a transaction of your own.
#[cfg(feature = "sqlite")]
pub use steadfast_sqlite as sqlite;
pub use step::{LeadsTo, Step, Turn};
