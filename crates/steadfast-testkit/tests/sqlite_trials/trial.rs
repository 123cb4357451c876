//! Of what the trials on servers share, that which needs no server.
#![allow(dead_code, reason = "the trials on servers use more of it")]

#[path = "../trial/crew.rs"]
pub(crate) mod crew;
#[path = "../trial/feed.rs"]
pub(crate) mod feed;
#[path = "../trial/ground.rs"]
mod ground;
#[path = "../trial/starts.rs"]
pub(crate) mod starts;
#[path = "../trial/witness.rs"]
pub(crate) mod witness;

pub(crate) use ground::{adder, database, shown, size};
