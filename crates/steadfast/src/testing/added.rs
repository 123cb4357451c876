//! What was added on a stage.

use super::ground::at_once;
use super::stage::Stage;
use crate::new::Kinded;
use std::fmt::{Debug, Write};
use steadfast_core::limit::PAGE_MAX;
use steadfast_core::{Filter, Scope, Status, Task};

impl Stage {
    /// All tasks that were added, in the order of adding, with their payloads: also those that have ended, whatever the
    /// retention of their kind.
    pub fn tasks(&self) -> Vec<Task> {
        let mut tasks = [self.found(Scope::Live), self.found(Scope::History)].concat();
        for kept in &self.kept {
            match tasks.iter_mut().find(|task| task.id == kept.id) {
                Some(task) if task.payload.is_none() => task.payload.clone_from(&kept.payload),
                Some(_) => {}
                None => tasks.push(kept.clone()),
            }
        }
        tasks.sort_by_key(|task| task.seq);
        tasks
    }

    /// The payloads of all tasks of a kind that were added, in the order of adding.
    ///
    /// # Panics
    /// If one of them is no such payload.
    #[track_caller]
    pub fn added<T: Kinded>(&self) -> Vec<T> {
        let read = |task: &Task| match task.payload.clone().unwrap_or_default().read() {
            Ok(payload) => payload,
            Err(fault) => {
                panic!("a payload of `{}` is not a {}: {fault}", task.kind, std::any::type_name::<T>())
            }
        };
        self.tasks().iter().filter(|task| task.kind.base() == T::KIND).map(read).collect()
    }

    /// Holds the test to it that a task with this payload was added.
    ///
    /// # Panics
    /// If there is none, with a list of those there are.
    #[track_caller]
    pub fn assert_added<T: Kinded + Debug + PartialEq>(&self, payload: &T) {
        let (kind, list) = (T::KIND, self.list());
        assert!(self.added().contains(payload), "no `{kind}` was added with {payload:?}; there is{list}");
    }

    /// Holds the test to it that no task of this kind was added.
    ///
    /// # Panics
    /// If there is one, with a list of all there are.
    #[track_caller]
    pub fn assert_none_added<T: Kinded>(&self) {
        let (kind, list) = (T::KIND, self.list());
        assert!(
            self.tasks().iter().all(|task| task.kind.base() != kind),
            "a `{kind}` was added; there is{list}"
        );
    }

    /// Keeps what the store does not.
    pub(crate) fn keep(&mut self, before: Option<Task>) {
        let Some(before) = before else { return };
        let stored = at_once(self.engine.shared.store.get(before.id));
        if stored.is_none_or(|task| task.payload.is_none()) {
            self.kept.push(Task { status: Status::Done, ..before });
        }
    }

    fn found(&self, scope: Scope) -> Vec<Task> {
        let (store, filter) = (&self.engine.shared.store, Filter { scope, ..Filter::default() });
        let (mut tasks, mut after) = (Vec::new(), None);
        loop {
            let page = at_once(store.find(filter.clone(), after, PAGE_MAX));
            tasks.extend(page.tasks.iter().filter_map(|task| at_once(store.get(task.id))));
            after = page.next;
            if after.is_none() {
                return tasks.into_iter().map(|task| self.engine.shared.opened(task)).collect();
            }
        }
    }

    /// All tasks for people, a line each.
    fn list(&self) -> String {
        let tasks = self.tasks();
        if tasks.is_empty() {
            return " nothing".to_owned();
        }
        tasks.iter().fold(":".to_owned(), |mut list, task| {
            let payload = task.payload.clone().unwrap_or_default();
            let text = String::from_utf8_lossy(&payload.bytes);
            // Writing into a string does not fail.
            let _ = write!(list, "\n  {} ({}) {text}", task.kind, task.status);
            list
        })
    }
}
