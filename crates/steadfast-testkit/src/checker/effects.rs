//! I7 and I8: what runs leave behind, in the same database and elsewhere.

use super::event::Event;
use super::history::History;
use std::collections::{BTreeMap, BTreeSet};
use steadfast_core::Status;

/// I7: of kinds with effects, those of each task that is done were committed, once; of others' none.
pub(crate) fn effects(history: &History) -> Vec<String> {
    let (mut kinds, mut counts) = (BTreeSet::new(), BTreeMap::new());
    for (_, event) in history.events() {
        match event {
            Event::Effects { kind } => drop(kinds.insert(kind)),
            Event::Effect { task } => *counts.entry(task.as_str()).or_insert(0) += 1,
            _ => {}
        }
    }
    let rows = history.rows();
    let last = rows.iter().filter_map(|(task, rows)| Some((*task, rows.last()?.1)));
    let wrong = last.filter_map(|(task, row)| {
        let due = usize::from(kinds.contains(&row.kind) && row.status == Status::Done);
        let n = counts.remove(task).unwrap_or(0);
        (n != due).then(|| format!("task {task} is {}, its effects were committed {n} times", row.status))
    });
    let wrong: Vec<String> = wrong.collect();
    wrong
        .into_iter()
        .chain(counts.keys().map(|task| format!("effects of task {task}, which is nowhere")))
        .collect()
}

/// I8: a system that compares tokens takes those of a task in rising order and refuses only older ones.
pub(crate) fn tokens(history: &History) -> Vec<String> {
    let (mut newest, mut wrong) = (BTreeMap::new(), Vec::new());
    for (_, event) in history.events() {
        let Event::Token { task, grant, taken } = event else { continue };
        let older = newest.get(task).is_some_and(|newest| grant < newest);
        if *taken == older {
            let word = if *taken { "taken" } else { "refused" };
            wrong.push(format!("token {grant} of task {task} was {word}"));
        }
        if *taken {
            newest.insert(task, *grant);
        }
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checker::tests::check;

    #[test]
    fn effects_come_with_the_end() {
        check(effects, "0 effects pay; 1 effect a; 1 row a done kind=pay; 2 row b cancelled kind=pay", true);
        check(effects, "0 effects pay; 1 row a done kind=pay", false);
        check(effects, "0 effects pay; 1 effect a; 1 row a ready kind=pay", false);
        check(effects, "0 effects pay; 1 effect a; 1 effect a; 2 row a done kind=pay", false);
        check(effects, "0 effects pay; 1 effect a", false);
    }

    #[test]
    fn tokens_rise() {
        check(tokens, "0 token a 1 taken; 1 token a 1 taken; 2 token a 3 taken; 3 token a 2 refused", true);
        check(tokens, "0 token a 2 taken; 1 token a 1 taken", false);
        check(tokens, "0 token a 1 taken; 1 token a 2 refused", false);
    }
}
