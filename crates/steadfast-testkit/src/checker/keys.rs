//! I14 and I15: one task for a key, one for a tick.

use super::event::Event;
use super::history::History;
use std::collections::{BTreeMap, BTreeSet};

/// I14: at most one living task has a key.
pub(crate) fn shared_keys(history: &History) -> Vec<String> {
    let (mut living, mut shared) = (BTreeMap::new(), Vec::new());
    for (_, event) in history.events() {
        let Event::Row(row) = event else { continue };
        let Some(key) = &row.key else { continue };
        let holder = *living.entry(key).or_insert(&row.task);
        if *holder != row.task {
            shared.push(format!("tasks {holder} and {} live under the key {key}", row.task));
        }
        if row.status.is_final() && *holder == row.task {
            living.remove(key);
        }
    }
    shared
}

/// I15: each tick of a cron line made one task, and no task was made by two.
pub(crate) fn ticks(history: &History) -> Vec<String> {
    let (mut ticks, mut tasks, mut wrong) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    for (_, event) in history.events() {
        let Event::Tick { line, time, task } = event else { continue };
        if !ticks.insert((line, time)) {
            wrong.push(format!("{line} fired twice for {time}"));
        }
        if !tasks.insert(task) {
            wrong.push(format!("two ticks made the task {task}"));
        }
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checker::tests::check;

    #[test]
    fn a_key_names_one_living_task() {
        check(
            shared_keys,
            "0 row a ready key=k; 1 row a done key=k; 2 row b ready key=k; 2 row c ready",
            true,
        );
        check(shared_keys, "0 row a ready key=k; 1 row b ready key=k", false);
    }

    #[test]
    fn a_tick_makes_one_task() {
        check(ticks, "0 tick night 1 a; 1 tick night 2 b; 1 tick day 2 c", true);
        check(ticks, "0 tick night 1 a; 1 tick night 1 b", false);
        check(ticks, "0 tick night 1 a; 1 tick night 2 a", false);
    }
}
