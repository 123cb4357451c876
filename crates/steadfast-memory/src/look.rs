//! Reading ahead: what is ready, without taking it.

use crate::due::notes;
use crate::ready::Ready;
use crate::state::State;
use std::collections::BTreeSet;
use steadfast_core::seam::{Look, Looked};
use steadfast_core::{Kind, Note, Task, TaskId, Time};

/// Most kinds that one look visits behind those that fill its window. A round over more takes several looks.
const BEHIND_KINDS_MAX: usize = 64;

impl State {
    /// What is ready in a bucket, in the claim's order.
    pub(crate) fn look(&self, look: &Look, now: Time) -> Looked {
        let due_in = self.index.next_due().map(|due_at| due_at.since(now));
        let Some(ready) = self.index.ready.get(&look.bucket) else {
            return Looked { due_in, ..Looked::default() };
        };
        let mut window: Vec<&Task> =
            self.tasks_of(ready.in_order().take(look.n_max.saturating_add(1))).collect();
        let more = window.len() > look.n_max;
        window.truncate(look.n_max);
        let mut looked = Looked { notes: merged(window.iter().copied()), more, after: None, due_in };

        let skip: BTreeSet<&Kind> = look.skip.iter().collect();
        if more && window.iter().all(|task| skip.contains(&task.kind)) {
            let (behind, after) = self.look_behind(ready, &skip, look.after.as_ref());
            looked.notes.extend(behind);
            looked.after = after;
        }
        looked
    }

    /// The heads of the next kinds that are hidden behind the skipped ones, and where to go on.
    fn look_behind(
        &self,
        ready: &Ready,
        skip: &BTreeSet<&Kind>,
        after: Option<&Kind>,
    ) -> (Vec<Note>, Option<Kind>) {
        let hidden = ready.heads(after).filter(|(kind, _)| !skip.contains(kind));
        let mut heads: Vec<(&Kind, TaskId)> = hidden.take(BEHIND_KINDS_MAX + 1).collect();
        let more = heads.len() > BEHIND_KINDS_MAX;
        heads.truncate(BEHIND_KINDS_MAX);
        let after = heads.last().filter(|_| more).map(|(kind, _)| (*kind).clone());
        (merged(self.tasks_of(heads.into_iter().map(|(_, id)| id))), after)
    }

    fn tasks_of(&self, ids: impl Iterator<Item = TaskId>) -> impl Iterator<Item = &Task> {
        ids.filter_map(|id| self.task(id))
    }
}

fn merged<'a>(tasks: impl Iterator<Item = &'a Task>) -> Vec<Note> {
    notes(tasks).into_iter().map(|(_, note)| note).collect()
}
