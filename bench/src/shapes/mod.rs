//! The loads, one a file.

mod add;
mod add_and_run;
mod backlog;
mod clutter;
mod drain;
mod insert;
mod latency;
mod lateness;

use crate::shape::Shape;

pub(crate) use latency::call_here;

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
    clutter::ALL,
    drain::POSTGRES_DELETE,
    drain::POSTGRES_KINDS,
    drain::POSTGRES_HISTORY,
    add_and_run::POSTGRES_DELETE,
    add_and_run::POSTGRES_HISTORY,
    add::POSTGRES,
    insert::POSTGRES,
    latency::POSTGRES,
    latency::POSTGRES_APART,
    clutter::POSTGRES_NONE,
    clutter::POSTGRES_ENDED,
    clutter::POSTGRES_WAITING,
    clutter::POSTGRES_KINDS,
    drain::MYSQL_DELETE,
    drain::MYSQL_KINDS,
    drain::MYSQL_HISTORY,
    add_and_run::MYSQL_DELETE,
    add_and_run::MYSQL_HISTORY,
    add::MYSQL,
    insert::MYSQL,
    latency::MYSQL,
    latency::MYSQL_APART,
    clutter::MYSQL_NONE,
    clutter::MYSQL_WAITING,
    clutter::MYSQL_KINDS,
];
