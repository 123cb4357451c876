//! The loads, one a file.

mod add;
mod add_and_run;
mod add_many;
mod backlog;
mod chain;
mod clutter;
mod counted;
mod depth;
mod drain;
mod insert;
mod latency;
mod lateness;
mod own_transaction;
mod payload;
mod retry_storm;
mod urgent;
mod workers;

use crate::shape::Shape;

pub(crate) use latency::call_here;

/// All of them, in the order of the report.
pub(crate) const ALL: &[Shape] = &[
    drain::DELETE,
    drain::HISTORY,
    drain::SQLITE_HUNDRED_KINDS,
    drain::SQLITE_MANY_KINDS,
    payload::SQLITE_SMALL,
    payload::SQLITE_MIDDLE,
    payload::SQLITE_LARGE,
    workers::SQLITE_ONE,
    workers::SQLITE_TWO,
    workers::SQLITE_FOUR,
    add_and_run::SQLITE_ONE,
    add_and_run::SQLITE_FEW,
    add_and_run::DELETE,
    add_and_run::HISTORY,
    add_and_run::SQLITE_CROWD,
    chain::SQLITE,
    chain::SQLITE_STEP,
    retry_storm::SQLITE,
    add_many::SQLITE,
    own_transaction::SQLITE,
    insert::SHAPE,
    latency::SHAPE,
    latency::SQLITE_BUSY,
    urgent::SQLITE_IDLE,
    urgent::SQLITE,
    lateness::SQLITE,
    backlog::SHAPE,
    depth::SQLITE_SHORT,
    depth::SQLITE_LONG,
    depth::SQLITE_LONGEST,
    clutter::NONE,
    clutter::ALL,
    drain::POSTGRES_DELETE,
    drain::POSTGRES_KINDS,
    drain::POSTGRES_HUNDRED_KINDS,
    drain::POSTGRES_MANY_KINDS,
    drain::POSTGRES_HISTORY,
    payload::POSTGRES_SMALL,
    payload::POSTGRES_MIDDLE,
    payload::POSTGRES_LARGE,
    workers::POSTGRES_ONE,
    workers::POSTGRES_TWO,
    workers::POSTGRES_FOUR,
    add_and_run::POSTGRES_ONE,
    add_and_run::POSTGRES_FEW,
    add_and_run::POSTGRES_DELETE,
    add_and_run::POSTGRES_HISTORY,
    add_and_run::POSTGRES_CROWD,
    chain::POSTGRES,
    chain::POSTGRES_CHILD,
    chain::POSTGRES_HISTORY,
    chain::POSTGRES_STEP,
    retry_storm::POSTGRES,
    add::POSTGRES,
    add_many::POSTGRES,
    own_transaction::POSTGRES,
    insert::POSTGRES,
    latency::POSTGRES,
    latency::POSTGRES_APART,
    latency::POSTGRES_BUSY,
    latency::POSTGRES_BUSY_APART,
    urgent::POSTGRES_IDLE,
    urgent::POSTGRES,
    lateness::POSTGRES,
    depth::POSTGRES_SHORT,
    depth::POSTGRES_LONG,
    depth::POSTGRES_LONGEST,
    clutter::POSTGRES_NONE,
    clutter::POSTGRES_ENDED,
    clutter::POSTGRES_WAITING,
    clutter::POSTGRES_KINDS,
    drain::MYSQL_DELETE,
    drain::MYSQL_KINDS,
    drain::MYSQL_HISTORY,
    workers::MYSQL_ONE,
    workers::MYSQL_TWO,
    workers::MYSQL_FOUR,
    add_and_run::MYSQL_ONE,
    add_and_run::MYSQL_FEW,
    add_and_run::MYSQL_DELETE,
    add_and_run::MYSQL_HISTORY,
    add_and_run::MYSQL_CROWD,
    chain::MYSQL,
    retry_storm::MYSQL,
    add::MYSQL,
    add_many::MYSQL,
    insert::MYSQL,
    latency::MYSQL,
    latency::MYSQL_APART,
    clutter::MYSQL_NONE,
    clutter::MYSQL_WAITING,
    clutter::MYSQL_KINDS,
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_shape_is_unique_on_its_base_and_its_bars_name_others_there() {
        let names: BTreeSet<_> = ALL.iter().map(|shape| (shape.base, shape.name)).collect();
        assert_eq!(names.len(), ALL.len());
        for shape in ALL {
            let mut peers = shape.bars.iter().filter_map(|bar| bar.peer());
            assert!(peers.all(|peer| names.contains(&(shape.base, peer))), "{}", shape.name);
        }
    }
}
