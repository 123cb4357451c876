//! A whole cluster in one thread, from one seed.
//!
//! The engine's own code runs on a world in which chance, time, hints and the store's answers are ours: nodes
//! crash, freeze and come back, calls fail before or after they took effect, hints are lost and repeated, the
//! store is away for a while, its clock jumps, people stop tasks and let them go on. What is seen at the store goes
//! into a history that the [checker](crate::checker) judges. The same seed gives the same trace to the byte.

mod chance;
mod faulty;
mod hints;
mod ledger;
mod node;
mod operator;
mod pace;
mod recorder;
mod scenario;
mod sometimes;
mod store;
mod story;
mod under_way;
mod world;

pub use faulty::Planted;
pub use pace::{Pace, Paced};
pub use scenario::{Report, Scenario};
pub use sometimes::Sometimes;
pub use world::World;
