//! I3, I4 and I10: a row changes only as it may.

use super::event::Event;
use super::history::History;
use super::row::Row;
use std::collections::BTreeMap;
use steadfast_core::Status;

/// I3: only legal moves, and a task begins where a task may begin.
pub(crate) fn illegal(history: &History) -> Vec<String> {
    use Status::{Held, Ready, Running, Waiting};
    let rows = history.rows();
    let firsts = rows.values().filter_map(|rows| rows.first()).map(|(_, row)| *row);
    let odd = firsts.filter(|row| !matches!(row.status, Held | Ready | Running | Waiting));
    let odd = odd.map(|row| format!("task {} began as {}", row.task, row.status));
    let moves = history.changes().into_iter().filter(|(before, after)| before.status != after.status);
    let illegal = moves.filter(|(before, after)| !before.status.may_become(after.status));
    let illegal = illegal.map(|(before, after)| {
        format!("task {} went from {} to {}", before.task, before.status, after.status)
    });
    odd.chain(illegal).collect()
}

/// I4: the version rises by one with every change that an outsider can see, and with no other.
pub(crate) fn versions(history: &History) -> Vec<String> {
    let fine = |before: &Row, after: &Row| match after.version - before.version {
        0 => before.looks_like(after),
        step => step == 1,
    };
    let odd = history.changes().into_iter().filter(|(before, after)| !fine(before, after));
    odd.map(|(before, after)| {
        format!("task {} went from version {} to {}", before.task, before.version, after.version)
    })
    .collect()
}

/// I10: final is final, unless a person said again.
pub(crate) fn revived(history: &History) -> Vec<String> {
    let (mut ended, mut revived) = (BTreeMap::new(), Vec::new());
    for (_, event) in history.events() {
        match event {
            Event::Row(row) if row.status.is_final() => {
                let before = ended.insert(&row.task, false).filter(|again| !again);
                revived.extend(before.map(|_| format!("task {} ended twice", row.task)));
            }
            Event::Row(row) if ended.remove(&row.task) == Some(false) => {
                revived.push(format!("task {} became {} after its end", row.task, row.status));
            }
            Event::Act { task, deed, .. } if deed == "again" => {
                ended.entry(task).and_modify(|again| *again = true);
            }
            _ => {}
        }
    }
    revived
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checker::tests::check;

    #[test]
    fn a_move_must_be_legal() {
        check(illegal, "0 row a ready; 1 row a running; 2 row a parked; 3 row a done", true);
        check(illegal, "0 row a ready; 1 row a done", false);
        check(illegal, "0 row a error", false);
    }

    #[test]
    fn a_version_rises_by_one() {
        check(versions, "0 row a ready; 1 row a running version=1; 2 row a running version=1 due=9", true);
        check(versions, "0 row a ready; 1 row a running version=2", false);
        check(versions, "0 row a ready; 1 row a running", false);
    }

    #[test]
    fn final_is_final_without_a_person() {
        check(revived, "0 row a done; 1 act a again 3; 1 row a ready; 2 row a done", true);
        check(revived, "0 row a done; 1 row a ready", false);
        check(revived, "0 row a done; 1 row a done", false);
        check(revived, "0 row a done; 1 act a cancel 3; 1 row a ready", false);
    }
}
