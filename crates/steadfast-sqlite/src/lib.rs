//! The Steadfast store on an embedded SQLite database.
//!
//! One thread owns the connection that writes and commits whatever has gathered while the last commit ran; two
//! more read beside it. Several programs may share a file: each notices within 25 ms what another commits. The
//! statements stand in `sql/`, one a file, the schema in `migrations/`.
//!
//! It never spawns onto a runtime, and it never lets a lock of another program reach a caller before half a
//! minute has passed.

mod act;
mod add;
mod bucket;
mod check;
mod clean;
mod counters;
mod db;
mod due;
mod effects;
mod ending;
mod extra;
mod fault;
mod find;
mod finish;
mod grab;
mod history;
mod job;
mod key;
mod kind;
mod look;
mod lot;
mod migrate;
mod neighbours;
mod note;
mod open;
mod options;
mod payload;
mod queue;
mod reader;
mod repeat;
mod row;
mod save;
mod search;
mod serial;
mod store;
mod stray;
mod threads;
mod tx;
mod watch;
mod worker;
mod writer;

pub use counters::{Call, Cost, Counters};
pub use effects::effects;
pub use options::Options;
pub use rusqlite;
pub use store::SqliteStore;
pub use tx::add_in;
