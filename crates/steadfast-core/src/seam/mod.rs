//! The seams: what the engine asks of the outside, and what the outside may rely on.

mod clock;
mod hints;
mod runtime;
mod store;

pub use clock::{Clock, SystemClock};
pub use hints::{Ear, Ears, Hint, Hints};
pub use runtime::{Future, Runtime};
pub use store::{
    Add, Added, Adds, Answer, BEHIND_KINDS_MAX, BUCKETS_MAX, Behind, Birth, Cause, Clean, Cleaned, Count,
    Due, Eject, Finish, Finished, Grab, KindRow, Look, Looked, Page, Register, Released, Renew, Renewed,
    Save, Saved, Settled, Store, Stray, WorkerRow,
};
