//! What all stores and the engine are tested with: shared suite, scenarios, simulator, checker of histories, trials.
//!
//! A store crate runs the suite from its `tests/suite.rs` (with `harness = false`):
//!
//! ```text
//! fn main() -> std::process::ExitCode {
//!     steadfast_testkit::suite::main("mine", || {
//!         Box::pin(async {
//!             let clock = TestClock::new();
//!             Ground::new(Arc::new(MyStore::new(clock.clone())), clock, Arc::new(MyLedger))
//!         })
//!     })
//! }
//! ```
// This crate is test code: a test that cannot go on says so by a panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::missing_panics_doc)]

pub mod bars;
pub mod checker;
mod clock;
pub mod cost;
pub mod fuzz;
mod ground;
pub mod hearing;
mod ledger;
mod outside;
mod random;
pub mod scenarios;
mod serial_load;
mod shown;
pub mod sim;
pub mod suite;
mod wire;
pub mod words;

pub use clock::TestClock;
pub use ground::{Ground, to};
pub use ledger::{Counter, Ledger};
pub use outside::{Answer, Outside};
pub use random::Random;
pub use serial_load::serial_load;
pub use shown::Shown;
pub use wire::Wire;
