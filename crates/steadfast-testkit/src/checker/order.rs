//! I13 and I17: who comes first, and nobody before its time.

use super::event::Event;
use super::history::History;
use super::row::Row;
use std::collections::BTreeMap;
use steadfast_core::Status;

/// I13: a grab takes, of the ready tasks of a kind and priority, those that have been ready longest.
pub(crate) fn passed_over(history: &History) -> Vec<String> {
    let (mut rows, mut passed) = (BTreeMap::<&str, &Row>::new(), Vec::new());
    for (at, row) in each_row(history) {
        let before = rows.insert(&row.task, row).filter(|before| before.status == Status::Ready);
        let Some(taken) = before.filter(|_| row.status == Status::Running) else { continue };
        let line = |row: &Row| (row.kind.clone(), row.priority, row.suspect);
        let first = |other: &&Row| {
            other.status == Status::Ready
                && line(other) == line(taken)
                && (other.ready, other.seq) < (taken.ready, taken.seq)
        };
        let first = rows.values().copied().find(first);
        passed.extend(
            first.map(|first| format!("task {} was passed over by {} at {at}", first.task, row.task)),
        );
    }
    passed
}

/// I17: no task is given to a worker before it is due.
pub(crate) fn early(history: &History) -> Vec<String> {
    let (mut rows, mut early) = (BTreeMap::<&str, &Row>::new(), Vec::new());
    for (at, row) in each_row(history) {
        let before = rows.insert(&row.task, row);
        let waited = before.is_some_and(|before| matches!(before.status, Status::Ready | Status::Waiting));
        if waited && row.status == Status::Running && row.due > at {
            early.push(format!("task {} ran at {at}, it was due at {}", row.task, row.due));
        }
    }
    early
}

fn each_row(history: &History) -> impl Iterator<Item = (u64, &Row)> {
    history.events().filter_map(|(at, event)| match event {
        Event::Row(row) => Some((at, row)),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checker::tests::check;

    #[test]
    fn the_longest_ready_goes_first() {
        let both = "0 row a ready seq=1 ready=1; 0 row b ready seq=2 ready=1";
        check(
            passed_over,
            &format!("{both}; 2 row a running seq=1 ready=1; 3 row b running seq=2 ready=1"),
            true,
        );
        check(passed_over, &format!("{both}; 1 row a paused seq=1; 2 row b running seq=2 ready=1"), true);
        check(passed_over, &format!("{both}; 2 row b running seq=2 ready=1"), false);
    }

    #[test]
    fn nobody_runs_before_its_time() {
        check(early, "0 row a waiting due=5; 5 row a ready due=5; 5 row a running due=5", true);
        check(early, "0 row a waiting due=5; 4 row a ready due=5; 4 row a running due=5", false);
    }
}
