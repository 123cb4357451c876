//! Reading ahead: what is ready, without taking it.

use crate::due::notes;
use crate::ready::Ready;
use crate::state::State;
use std::collections::BTreeSet;
use steadfast_core::seam::{BEHIND_KINDS_MAX, Behind, Look, Looked};
use steadfast_core::{Kind, KindRange, Note, Task, TaskId, Time};

impl State {
    /// What is ready in a bucket, in the claim's order.
    pub(crate) fn look(&self, look: &Look, now: Time) -> Looked {
        let ready = self.index.ready.get(&look.bucket);
        let in_order = ready.into_iter().flat_map(Ready::in_order);
        let mut window: Vec<&Task> = self.tasks_of(in_order.take(look.n_max.saturating_add(1))).collect();
        let more = window.len() > look.n_max;
        window.truncate(look.n_max);
        Looked { notes: merged(window.into_iter()), more, after: None, due_in: self.due_in(now) }
    }

    /// What is ready of the worker's own kinds, and where the round goes on.
    pub(crate) fn look_behind(&self, behind: &Behind, now: Time) -> Looked {
        let due_in = self.due_in(now);
        let Some(ready) = self.index.ready.get(&behind.bucket) else {
            return Looked { due_in, ..Looked::default() };
        };
        let skip: BTreeSet<&Kind> = behind.skip.iter().collect();
        let is_own = |kind: &Kind| KindRange::next_in(&behind.ranges, kind.as_str()) == Some(kind.as_str());
        let mut own = ready.kinds(behind.after.as_ref()).filter(|kind| is_own(kind));
        let visited: Vec<&Kind> = own.by_ref().take(BEHIND_KINDS_MAX).collect();
        let after = visited.last().filter(|_| own.next().is_some()).map(|kind| (*kind).clone());
        let open: Vec<&Kind> = visited.into_iter().filter(|kind| !skip.contains(kind)).collect();
        let each = (behind.n_max / open.len().max(1)).max(1);
        let tasks: Vec<TaskId> = open.into_iter().flat_map(|kind| ready.all_of(kind).take(each)).collect();
        Looked { notes: merged(self.tasks_of(tasks.into_iter())), more: true, after, due_in }
    }

    fn due_in(&self, now: Time) -> Option<std::time::Duration> {
        self.index.next_due().map(|due_at| due_at.since(now))
    }

    fn tasks_of(&self, ids: impl Iterator<Item = TaskId>) -> impl Iterator<Item = &Task> {
        ids.filter_map(|id| self.task(id))
    }
}

fn merged<'a>(tasks: impl Iterator<Item = &'a Task>) -> Vec<Note> {
    notes(tasks).into_iter().map(|(_, note)| note).collect()
}
