//! Workers: their leases, what was taken from them, and what they left behind.

use crate::rows::{bare, inline};
use crate::state::State;
use steadfast_core::seam::{Cause, Register, Renew, Renewed, Stray, WorkerRow};
use steadfast_core::{Fence, Task, TaskId, Time, WorkerId};

impl State {
    /// A worker starts. A repeat is harmless, and brings no dead worker back.
    pub(crate) fn register(&mut self, register: Register, now: Time) -> Time {
        let dead = self.workers.get(&register.worker).is_some_and(|row| row.dead);
        let row = WorkerRow {
            worker: register.worker,
            name: register.name,
            build: register.build,
            offer: register.offer,
            lease_until: now.after(register.lease),
            dead,
        };
        self.workers.insert(row.worker, row);
        now
    }

    /// A worker lives, unless it was declared dead.
    pub(crate) fn renew(&mut self, renew: &Renew, now: Time) -> Renewed {
        let Some(row) = self.workers.get_mut(&renew.worker).filter(|row| !row.dead) else {
            return Renewed::Dead;
        };
        row.lease_until = now.after(renew.lease);
        let running = self.index.running_n(renew.worker);
        Renewed::Alive { now, recalls: self.drop_handled(renew.worker, &renew.handled), running }
    }

    /// A worker leaves.
    pub(crate) fn retire(&mut self, worker: WorkerId) {
        if let Some(row) = self.workers.get_mut(&worker) {
            row.dead = true;
        }
    }

    /// All that a worker holds as running.
    pub(crate) fn held(&self, worker: WorkerId) -> Vec<Task> {
        let runs = self.index.running.get(&worker).into_iter().flatten();
        runs.filter_map(|(_, id)| self.task(*id)).map(inline).collect()
    }

    /// Marks workers whose lease ended, then lists the tasks that a sweep has to move.
    ///
    /// Holders are those of the running tasks and not those of the worker table: a birth that came after its
    /// worker's end is found all the same.
    pub(crate) fn strays(&mut self, by: WorkerId, n_max: usize, now: Time) -> Vec<Stray> {
        if self.workers.get(&by).is_some_and(|row| row.is_alive(now)) {
            for row in self.workers.values_mut() {
                row.dead |= row.lease_until < now;
            }
        }
        let mut strays = Vec::new();
        for (worker, runs) in &self.index.running {
            let (cause, until) =
                if self.is_live(*worker) { (Cause::Overdue, now) } else { (Cause::Dead, Time::MAX) };
            let runs = runs.iter().take_while(|(deadline_at, _)| *deadline_at <= until);
            strays.extend(self.as_strays(runs, cause).take(n_max - strays.len()));
        }
        let parked = self.index.parked.iter().take_while(|(due_at, _)| *due_at <= now);
        strays.extend(self.as_strays(parked, Cause::Overdue).take(n_max - strays.len()));
        strays
    }

    fn as_strays<'a>(
        &self,
        ids: impl Iterator<Item = &'a (Time, TaskId)>,
        cause: Cause,
    ) -> impl Iterator<Item = Stray> {
        ids.filter_map(|(_, id)| self.task(*id)).map(move |task| Stray { task: bare(task), cause })
    }

    /// Forgets the recalls that a worker has dealt with; answers the others.
    pub(crate) fn drop_handled(&mut self, worker: WorkerId, handled: &[Fence]) -> Vec<Fence> {
        let Some(recalls) = self.recalls.get_mut(&worker) else { return Vec::new() };
        for fence in handled {
            recalls.remove(fence);
        }
        let rest: Vec<Fence> = recalls.iter().copied().collect();
        if rest.is_empty() {
            self.recalls.remove(&worker);
        }
        rest
    }
}
