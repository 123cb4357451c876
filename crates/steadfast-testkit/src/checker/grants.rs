//! I5, I6 and I9: who holds a task, who may end it, which runs count.

use super::event::Event;
use super::history::History;
use super::row::Row;
use std::collections::{BTreeMap, BTreeSet};
use steadfast_core::Status;

/// I5: grants of a task rise, so none is given twice; and no process runs a task twice at once.
pub(crate) fn doubles(history: &History) -> Vec<String> {
    let (mut newest, mut running, mut doubles) = (BTreeMap::new(), BTreeSet::new(), Vec::new());
    for (_, event) in history.events() {
        match event {
            Event::Grant { task, grant, .. } => {
                let before = newest.insert(task, *grant).filter(|before| before >= grant);
                doubles.extend(before.map(|_| format!("grant {grant} of task {task} does not rise")));
            }
            Event::Start { task, node } if !running.insert((task, node)) => {
                doubles.push(format!("task {task} runs twice at once in {node}"));
            }
            Event::Stop { task, node } => {
                running.remove(&(task, node));
            }
            _ => {}
        }
    }
    doubles
}

/// I6: a finish is accepted only from the newest grant, and once.
pub(crate) fn unfenced(history: &History) -> Vec<String> {
    let (mut held, mut unfenced) = (BTreeMap::new(), Vec::new());
    for (_, event) in history.events() {
        match event {
            Event::Grant { task, grant, worker, .. } => drop(held.insert(task, (grant, worker))),
            Event::Finish { task, grant, worker, status: Some(status) } => {
                if held.get(task) != Some(&(grant, worker)) {
                    unfenced.push(format!(
                        "a finish of task {task} was accepted from grant {grant}, which was over"
                    ));
                }
                // A parked task keeps its grant: it is finished by token.
                if *status != Status::Parked {
                    held.remove(task);
                }
            }
            _ => {}
        }
    }
    unfenced
}

/// I9: a grant counts one attempt, and only a run that is given back takes it off again.
pub(crate) fn miscounted(history: &History) -> Vec<String> {
    let fine = |before: &Row, after: &Row| {
        let granted = u32::from(after.grant > before.grant);
        let back = before.status == Status::Running && matches!(after.status, Status::Ready | Status::Error);
        let counted = after.attempt + u32::from(back);
        let given_back = back && granted == 0 && counted == before.attempt;
        after.attempt == before.attempt + granted || given_back
    };
    let odd = history.changes().into_iter().filter(|(before, after)| !fine(before, after));
    odd.map(|(before, after)| {
        format!("task {} went from attempt {} to {}", before.task, before.attempt, after.attempt)
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checker::tests::check;

    #[test]
    fn a_grant_is_given_once() {
        check(doubles, "0 grant a 1 w 0; 1 grant a 2 x 0; 1 grant b 1 w 0", true);
        check(doubles, "0 grant a 1 w 0; 1 grant a 1 x 0", false);
        check(doubles, "0 grant a 2 w 0; 1 grant a 1 x 0", false);
    }

    #[test]
    fn a_process_runs_a_task_once_at_a_time() {
        check(doubles, "0 start a n; 1 start a m; 2 stop a n; 3 start a n", true);
        check(doubles, "0 start a n; 1 start a n", false);
    }

    #[test]
    fn a_finish_needs_the_newest_grant() {
        check(unfenced, "0 grant a 1 w 0; 1 finish a 1 w parked; 2 finish a 1 w done", true);
        check(unfenced, "0 grant a 1 w 0; 1 grant a 2 x 0; 2 finish a 1 w lost; 3 finish a 2 x done", true);
        check(unfenced, "0 grant a 1 w 0; 1 grant a 2 x 0; 2 finish a 1 w done", false);
        check(unfenced, "0 grant a 1 w 0; 1 finish a 1 x done", false);
        check(unfenced, "0 grant a 1 w 0; 1 finish a 1 w ready; 2 finish a 1 w done", false);
    }

    #[test]
    fn attempts_are_the_grants_that_count() {
        let run = "0 row a ready; 1 row a running grant=1 attempt=1";
        check(miscounted, &format!("{run}; 2 row a ready grant=1; 3 row a running grant=2 attempt=1"), true);
        check(
            miscounted,
            &format!("{run}; 2 row a running grant=2 attempt=2; 3 row a done grant=2 attempt=2"),
            true,
        );
        check(miscounted, "0 row a ready; 1 row a running grant=1", false);
        check(miscounted, &format!("{run}; 2 row a waiting grant=1"), false);
        check(miscounted, &format!("{run}; 2 row a ready grant=1 attempt=2"), false);
    }
}
