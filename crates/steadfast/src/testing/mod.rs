//! A stage for tests of handlers: a store in memory, a clock that only the test moves, and mishaps when it wants them.
//!
//! ```
//! use serde::{Deserialize, Serialize};
//! use std::time::Duration;
//! use steadfast::testing::Stage;
//! use steadfast::{BoxError, Builder, Kinded, New, Run, Status};
//!
//! #[derive(Debug, PartialEq, Serialize, Deserialize)]
//! struct Signup { name: String }
//! impl Kinded for Signup {
//!     const KIND: &'static str = "signup";
//! }
//!
//! #[derive(Debug, PartialEq, Serialize, Deserialize)]
//! struct Welcome { to: String }
//! impl Kinded for Welcome {
//!     const KIND: &'static str = "mail.welcome";
//! }
//!
//! /// What the program registers, in production and here.
//! fn handlers(builder: Builder) -> Builder {
//!     let day = Duration::from_secs(24 * 3600);
//!     builder
//!         .handle(move |run: Run, signup: Signup| async move {
//!             let welcome = Welcome { to: signup.name };
//!             run.add(New::of(welcome).after(day).key(run.task().id.to_string())).await.map(drop)
//!         })
//!         .handle(|_: Run, _: Welcome| async {})
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), BoxError> {
//! let mut stage = Stage::of(handlers)?;
//! stage.engine().add(Signup { name: "ada".into() }).await?;
//! assert_eq!(stage.run_until_idle().await, [("signup", Status::Done)]);
//! stage.assert_added(&Welcome { to: "ada".into() });
//! assert_eq!(stage.pass(Duration::from_secs(24 * 3600)).await, [("mail.welcome", Status::Done)]);
//! # Ok(()) }
//! ```
//!
//! A stage takes one task at a time, in the order in which a worker would, and knows no limits. What it runs goes the way
//! of a real run: interceptors, payloads, retries, fences, effects. The guide is [`guides::testing`](crate::guides::testing).

mod added;
mod ground;
mod mishap;
mod one;
mod ran;
mod script;
mod stage;
mod worker;

pub use mishap::Mishap;
pub use ran::Ran;
pub use stage::Stage;

#[cfg(test)]
pub(crate) use ground::Ground;
pub(crate) use script::{answered, pass};
