//! What the demo's one loop hears. Everything else sends it these.

use super::line::Line;
use super::snapshot::Snapshot;
use steadfast::TaskId;

/// Which of the workers, from 0.
pub(super) type Seat = usize;

pub(super) enum News {
    /// A worker said something.
    Line(Seat, Line),
    /// A worker complained.
    Fault(Seat, String),
    /// A worker's process ended.
    Gone(Seat),
    /// The store was looked at.
    Seen(Box<Snapshot>),
    /// The feed is over; all that was added.
    Fed(Vec<TaskId>),
    /// The clerk finished a parked task by its token.
    Approved(TaskId),
}
