//! I19: every act of a person is written down.

use super::event::Event;
use super::history::History;
use std::collections::BTreeMap;

/// I19: where audits are written at all, each act has one, with who, what and the version that it made.
pub(crate) fn unwritten(history: &History) -> Vec<String> {
    if !history.events().any(|(_, event)| matches!(event, Event::Audit { .. })) {
        return Vec::new();
    }
    let mut balance = BTreeMap::new();
    for (_, event) in history.events() {
        match event {
            Event::Act { task, deed, version } => *balance.entry((task, deed, version)).or_insert(0) += 1,
            Event::Audit { task, deed, version, .. } => {
                *balance.entry((task, deed, version)).or_insert(0) -= 1;
            }
            _ => {}
        }
    }
    let odd = balance.into_iter().filter(|(_, n)| *n != 0);
    odd.map(|((task, deed, _), n)| format!("{deed} of task {task}: {n} acts more than rows of audit"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checker::tests::check;

    #[test]
    fn an_act_is_written_down_once() {
        check(unwritten, "0 act a cancel 3; 0 audit a cancel ann 3", true);
        check(unwritten, "0 act a cancel 3; 0 audit a cancel ann 3; 1 act b pause 1", false);
        check(unwritten, "0 act a cancel 3; 0 audit a cancel ann 3; 1 audit a cancel ann 3", false);
        check(unwritten, "0 act a cancel 3; 0 audit a cancel ann 4", false);
    }
}
