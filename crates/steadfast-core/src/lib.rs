//! The rules of Steadfast, without any of its machinery.
//!
//! Everything here is a value or a pure function: what a task is, which moves are legal, what follows from
//! a handler's outcome, who is next, who has room. Input and output, clocks and randomness are handed in
//! through the seams ([`Store`], [`Hints`], [`Clock`], [`Runtime`]). There is no IO, no runtime and no SQL in
//! this crate; stores and the engine meet here and nowhere else.

mod able;
pub mod abort;
mod act;
mod book;
mod change;
mod cluster;
mod compression;
mod contact;
mod cursor;
mod decide;
pub mod effects;
mod error;
mod errors;
mod filter;
mod finding;
mod grant;
mod id;
mod id_map;
mod kind;
mod limits;
mod new_task;
mod notes;
mod offer;
mod outcome;
mod payload;
mod places;
mod policy;
mod priority;
mod rate;
mod repeat;
mod retry;
mod say;
pub mod seam;
mod status;
mod table;
mod task;
mod text;
mod then;
mod time;
mod trace;
mod why;
mod worker_limit;

pub use act::{Act, Acted, Deed, Guard};
pub use book::{Book, Room};
pub use change::{Change, To};
pub use cluster::{ClusterLimit, ClusterPath};
pub use compression::{Compress, Compression};
pub use contact::{Contact, Heard};
pub use cursor::Cursor;
pub use decide::{decide, give_back, lost, overdue, report};
pub use effects::Effects;
pub use error::{Refusal, StoreError};
pub use errors::{Errors, Failure};
pub use filter::{Filter, Scope};
pub use finding::{Finding, Level};
pub use grant::{Fence, Grant, Version};
pub use id::{Receipt, TaskId, WorkerId};
pub use id_map::{IdMap, Tail};
pub use kind::{Bucket, Kind, KindRange};
pub use limits::{Counter, LimitId, Limits};
pub use new_task::{Key, KeySpace, NewTask};
pub use notes::Notes;
pub use offer::{Offer, Offered};
pub use outcome::Outcome;
pub use payload::{Format, Payload};
pub use places::Places;
pub use policy::{Hang, Policy, Retention};
pub use priority::Priority;
pub use rate::{Rate, Tokens};
pub use repeat::Repeat;
pub use retry::{Base, Retry};
pub use seam::{Clock, Hint, Hints, Runtime, Store};
pub use status::Status;
pub use table::{Demand, Lane, Note, Table};
pub use task::Task;
pub use then::Then;
pub use time::{Time, When};
pub use trace::TraceContext;
pub use why::{Facts, Span, Why, why};
pub use worker_limit::{Limit, Of};

/// The limits of everything that a caller may hand in, each with its unit.
pub mod limit {
    /// Longest kind, in bytes.
    pub const KIND_BYTES_MAX: usize = 200;
    /// Longest bucket name, in bytes.
    pub const BUCKET_BYTES_MAX: usize = 100;
    /// Longest subkind, step, key, serial key or search key, in bytes.
    pub const TEXT_BYTES_MAX: usize = 250;
    /// Largest payload unless the engine is told otherwise, in bytes.
    pub const PAYLOAD_BYTES_MAX: usize = 16 * 1024 * 1024;
    /// Largest payload when it is unpacked, in bytes; or the largest payload, where an engine allows more.
    pub const UNPACKED_BYTES_MAX: usize = 64 * 1024 * 1024;
    /// Payloads above this are read when the run starts, not with the grab, in bytes.
    pub const PAYLOAD_INLINE_BYTES_MAX: usize = 64 * 1024;
    /// Largest context (all names and values together), in bytes.
    pub const CONTEXT_BYTES_MAX: usize = 16 * 1024;
    /// Longest failure text that is kept for an attempt, in bytes.
    pub const ERROR_BYTES_MAX: usize = 4 * 1024;
    /// Failures kept beside a task, oldest dropped first.
    pub const ERRORS_MAX: usize = 20;
    /// Longest progress text or output, in bytes.
    pub const REPORT_BYTES_MAX: usize = 64 * 1024;
    /// Runs lost with their worker after which a task counts as a suspect and is run alone.
    pub const SUSPECT_LOST: u32 = 2;
    /// Most rows a page may hold.
    pub const PAGE_MAX: usize = 1000;
}
