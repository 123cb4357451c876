//! Trials of faults that every store can meet. What they need of a store, each program brings: a `Cluster`, a `Client`
//! that asks it, and in `calls` what only this store can be asked.

mod cancel;
mod engine_calls;
mod inside;
pub(crate) mod polled;
pub(crate) mod scene;
mod store_calls;
