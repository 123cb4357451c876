//! The seams: what the engine asks of the outside, and what the outside may rely on.

mod calls;
mod clock;
mod commit;
mod hints;
mod rows;
mod runtime;
mod store;

pub use calls::{
    Add, Added, Adds, Behind, Birth, Cause, Clean, Cleaned, Due, Eject, Finish, Finished, Grab, Look, Looked,
    Register, Released, Renew, Renewed, Save, Saved, Settled, Stray,
};
pub use clock::{Clock, SystemClock};
pub use commit::{Commit, Committed, Decide};
pub use hints::{Ear, Ears, Hint, Hints};
pub use rows::{Count, KindRow, Page, WorkerRow};
pub use runtime::{Future, Runtime};
pub use store::{Answer, BEHIND_KINDS_MAX, BUCKETS_MAX, Store};
