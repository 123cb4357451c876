//! The Steadfast store in plain Rust: the specification of all stores, and what tests run on.
//!
//! A store in SQL is right when it cannot be told from this one. Nothing is kept when the process ends.
//!
//! Every call is one critical section: what a database does with transactions and row locks, this store does with
//! one mutex. All maps are ordered, so that a simulation with the same seed sees the same answers.

mod act;
mod add;
mod clean;
mod due;
mod effects;
mod find;
mod finish;
mod grab;
mod index;
mod kinds;
mod look;
mod ready;
mod rows;
mod serial;
mod state;
mod store;
mod worker;

pub use effects::effects;
pub use store::MemoryStore;
