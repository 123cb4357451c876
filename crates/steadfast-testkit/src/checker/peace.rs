//! I16 and I18: what must come to an end, and what must not begin any more.

use super::event::Event;
use super::history::History;
use std::collections::BTreeMap;

/// I16: once nothing is broken any more, all that is due ends in time.
pub(crate) fn unfinished(history: &History) -> Vec<String> {
    let peace = history.events().find_map(|(at, event)| match event {
        Event::Peace { within } => Some((at, *within)),
        _ => None,
    });
    let Some((peace, within)) = peace else { return Vec::new() };
    let rows = history.rows();
    let late = rows.iter().filter_map(|(task, rows)| {
        let (ended, row) = rows.last()?;
        let begin = peace.max(rows.first()?.0).max(row.due.min(*ended));
        let fine = row.status.is_final() && *ended <= begin + within;
        (!fine).then(|| format!("task {task} was {} {ended} after peace at {peace}", row.status))
    });
    late.collect()
}

/// I18: a process that drains asks for nothing any more.
pub(crate) fn grabs_while_draining(history: &History) -> Vec<String> {
    let (mut nodes, mut draining, mut grabs) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
    for (at, event) in history.events() {
        match event {
            Event::Worker { worker, node } => drop(nodes.insert(worker, node)),
            Event::Drain { node } => drop(draining.insert(node, at)),
            Event::Grant { task, worker, sent, .. } => {
                let since = nodes.get(worker).and_then(|node| draining.get(*node));
                if since.is_some_and(|since| sent > since) {
                    grabs.push(format!("worker {worker} asked for task {task} while it drained"));
                }
            }
            _ => {}
        }
    }
    grabs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checker::tests::check;

    #[test]
    fn peace_ends_every_task() {
        check(unfinished, "0 row a ready; 5 peace 10; 9 row a done; 30 row b ready; 35 row b done", true);
        check(unfinished, "0 row a ready; 5 peace 10; 9 row a running", false);
        check(unfinished, "0 row a ready; 5 peace 10; 16 row a done", false);
    }

    #[test]
    fn whoever_drains_takes_nothing() {
        let drain = "0 worker w n; 5 drain n";
        check(grabs_while_draining, &format!("{drain}; 6 grant a 1 w 5; 7 grant a 1 x 7"), true);
        check(grabs_while_draining, &format!("{drain}; 7 grant a 1 w 6"), false);
    }
}
