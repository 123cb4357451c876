//! Trials of faults that every store can meet. What they need of a store, each program brings: a `Cluster`, a `Client`
//! that asks it, and in `calls` what only this store can be asked.

mod cancel;
pub(crate) mod clock;
mod disk;
mod engine_calls;
pub(crate) mod fake_clock;
mod history;
mod inside;
mod mass;
mod payloads;
mod poison;
pub(crate) mod polled;
pub(crate) mod scene;
pub(crate) mod small_disk;
mod starving;
mod store_calls;
