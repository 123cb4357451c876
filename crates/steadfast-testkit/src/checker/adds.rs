//! I1 and I2: what was acknowledged ends, and nothing is there that nobody added.

use super::event::Event;
use super::history::History;
use std::collections::BTreeSet;

/// I1: every task that a caller was told of has ended.
pub(crate) fn lost(history: &History) -> Vec<String> {
    let rows = history.rows();
    let ended = |task: &str| {
        let last = rows.get(task).and_then(|rows| rows.last());
        last.is_some_and(|(_, row)| row.status.is_final())
    };
    let told = told(history);
    told.into_iter()
        .filter(|task| !ended(task))
        .map(|task| format!("task {task} was acknowledged and is lost"))
        .collect()
}

/// I2: there are no more tasks than callers were told of, and one at most for each call of unknown fate.
pub(crate) fn invented(history: &History) -> Vec<String> {
    let told = told(history);
    let rows = history.rows();
    let untold = rows.keys().filter(|task| !told.contains(*task)).count();
    let count = |is: fn(&Event) -> bool| history.events().filter(|(_, event)| is(event)).count();
    let tried = count(|event| matches!(event, Event::Try { .. }));
    let answered = count(|event| matches!(event, Event::Told { .. } | Event::Refused { .. }));
    let unknown = tried.saturating_sub(answered);
    let invented = (untold > unknown).then(|| format!("{untold} tasks nobody knows of, for {unknown} calls"));
    invented.into_iter().collect()
}

fn told(history: &History) -> BTreeSet<&str> {
    let told = history.events().filter_map(|(_, event)| match event {
        Event::Told { task, .. } => Some(task.as_str()),
        _ => None,
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checker::tests::check;

    #[test]
    fn an_acknowledged_task_must_end() {
        check(lost, "0 told 1 a; 1 row a done", true);
        check(lost, "0 told 1 a; 1 row a ready; 2 row b ready", false);
        check(lost, "0 told 1 a", false);
    }

    #[test]
    fn a_task_needs_somebody_who_added_it() {
        check(invented, "0 try 1; 1 row a ready; 2 told 1 a; 3 try 2; 4 row b ready", true);
        check(invented, "0 try 1; 1 row a ready; 2 told 1 a; 4 row b ready", false);
        check(invented, "0 try 1; 1 row a ready; 2 refused 1", false);
    }
}
