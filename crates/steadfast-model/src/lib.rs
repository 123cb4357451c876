//! The protocol of holding and finishing tasks as a model that is searched whole.
//!
//! Two processes, two tasks, a store, callers and a person; every order in which their calls can be sent, arrive, get
//! lost and come late, with a few mishaps in each [`Scene`]. What decides is the core's own code, behind one file
//! (`law.rs`); what is modelled is who knows what when. A [`Fault`] plants one thing that the protocol must not do, and
//! the search must find it. `docs/model.md` has the picture.
// Test code: what cannot be says so by a panic.
#![allow(clippy::expect_used)]

mod arrivals;
mod caller;
mod choices;
#[cfg(test)]
mod conformance;
mod event;
mod fault;
mod law;
mod model;
mod names;
mod process;
mod row;
mod scene;
mod shrink;
mod state;
mod steps;
mod store;
mod story;
mod witness;

pub use event::{Event, Loss, Wire};
pub use fault::Fault;
pub use model::Protocol;
pub use scene::{Mishaps, Scene};
pub use state::State;
pub use story::story;
