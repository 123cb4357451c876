//! I11, I12 and I20: nothing grows over its bounds, and every slot comes back.

use super::event::Event;
use super::history::History;
use std::collections::{BTreeMap, BTreeSet};
use steadfast_core::Status;

/// I11: at no moment more runs of a kind than its limit allows.
pub(crate) fn over_limit(history: &History) -> Vec<String> {
    let (mut limits, mut over) = (BTreeMap::new(), Vec::new());
    let mut running: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (at, event) in history.events() {
        match event {
            Event::Limit { kind, max } => drop(limits.insert(kind.as_str(), *max)),
            Event::Row(row) => {
                let runs = running.entry(&row.kind).or_default();
                if row.status != Status::Running {
                    runs.remove(row.task.as_str());
                    continue;
                }
                let more = runs.insert(&row.task);
                let max = limits.get(row.kind.as_str()).filter(|max| more && runs.len() as u64 > **max);
                over.extend(
                    max.map(|max| format!("{} of {} run at {at}, at most {max} may", runs.len(), row.kind)),
                );
            }
            _ => {}
        }
    }
    over
}

/// I12: no slot is taken when there is nothing to do.
pub(crate) fn leaked_slots(history: &History) -> Vec<String> {
    let leaked = history.events().filter_map(|(_, event)| match event {
        Event::Slots { node, used } if *used > 0 => Some(format!("{used} slots of {node} did not come back")),
        _ => None,
    });
    leaked.collect()
}

/// I20: what must stay small does.
pub(crate) fn oversized(history: &History) -> Vec<String> {
    let large = history.events().filter_map(|(_, event)| match event {
        Event::Size { what, n, max } if n > max => Some(format!("{what} grew to {n}, at most {max} may be")),
        _ => None,
    });
    large.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checker::tests::check;

    #[test]
    fn no_more_run_than_may() {
        let one = "0 limit pay 1; 1 row a running kind=pay; 2 row b running kind=mail";
        check(over_limit, &format!("{one}; 3 row a done kind=pay; 4 row c running kind=pay"), true);
        check(over_limit, &format!("{one}; 3 row a running kind=pay grant=2"), true);
        check(over_limit, &format!("{one}; 3 row c running kind=pay"), false);
    }

    #[test]
    fn slots_come_back() {
        check(leaked_slots, "0 slots n 0", true);
        check(leaked_slots, "0 slots n 0; 0 slots m 1", false);
    }

    #[test]
    fn what_is_bounded_stays_bounded() {
        check(oversized, "0 size table 5 5", true);
        check(oversized, "0 size table 6 5", false);
    }
}
