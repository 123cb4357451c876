//! What the trials on servers share: workers, what feeds them, who watches, and the trials that every server has.
//!
//! Each program brings the same four nouns for its own server: a `Cluster` to be crashed, a `Client` that asks it, the
//! `messages` that a wire carries, and in `witness.sql` the tables `trial_*`. All statements here ask those alone, in
//! words that every server knows.

mod clocks;
pub(crate) mod crew;
pub(crate) mod crowd;
mod deaths;
pub(crate) mod feed;
mod fights;
mod ground;
mod hearing;
mod limits;
mod network;
mod outages;
mod pools;
pub(crate) mod process;
mod rolling;
mod serial;
mod slow;
pub(crate) mod starts;
mod storm;
mod tokens;
pub(crate) mod wire;
pub(crate) mod witness;
mod zombies;

pub(crate) use ground::{adder, database, shown, size};
