//! The loads, one a file.

mod add_and_run;
mod backlog;
mod clutter;
mod drain;
mod insert;
mod latency;
mod lateness;

use crate::shape::Shape;

/// All of them, in the order of the report.
pub(crate) const ALL: &[Shape] = &[
    drain::DELETE,
    drain::HISTORY,
    add_and_run::DELETE,
    add_and_run::HISTORY,
    insert::SHAPE,
    latency::SHAPE,
    lateness::SHAPE,
    backlog::SHAPE,
    clutter::NONE,
    clutter::STEPS,
];
