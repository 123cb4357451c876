//! A whole cluster in one thread, from one seed.
//!
//! The engine's own code runs on a world in which chance, time, hints and the store's answers are ours: nodes
//! crash, freeze and come back, calls fail before or after they took effect, hints are lost and repeated, the
//! store's clock jumps. The same seed gives the same trace to the byte.

mod chance;
mod hints;
mod history;
mod ledger;
mod node;
mod pace;
mod scenario;
mod store;
mod world;

pub use history::{History, Sometimes};
pub use pace::{Pace, Paced};
pub use scenario::{Report, Scenario};
pub use world::World;
