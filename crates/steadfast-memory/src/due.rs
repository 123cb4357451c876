//! What was waiting and has come due.

use crate::rows::inline;
use crate::state::State;
use std::collections::BTreeMap;
use std::time::Duration;
use steadfast_core::seam::{Due, Grab};
use steadfast_core::{Bucket, Kind, Lane, Note, Priority, Status, Task, TaskId, Time, WorkerId};

impl State {
    /// Makes up to `n_max` waiting tasks ready whose time has come; those that are asked for are granted instead.
    pub(crate) fn due(&mut self, n_max: usize, grab: Option<&Grab>, now: Time) -> Due {
        let waiting = self.index.waiting.iter();
        let ids: Vec<TaskId> =
            waiting.take_while(|((due_at, _), _)| *due_at <= now).take(n_max).map(|(_, id)| *id).collect();
        let asked = self.asked_for(&ids, grab);
        let (mut came, mut granted) = (Vec::new(), Vec::new());
        for id in ids {
            if let Some((worker, deadline)) = asked.get(&id) {
                self.limited.remove(&id);
                granted.extend(self.edit(id, |task| run_due(task, *worker, *deadline, now)).map(inline));
            } else {
                came.extend(self.edit(id, |task| come_due(task, now)).cloned());
            }
        }
        let next_in = self.index.next_due().map(|due_at| due_at.since(now));
        Due { notes: notes(came.iter()), granted, next_in }
    }

    /// Which of these are granted, to whom and for how long: none while a more urgent one of the bucket is left.
    fn asked_for(&self, ids: &[TaskId], grab: Option<&Grab>) -> BTreeMap<TaskId, (WorkerId, Duration)> {
        let may_grant = |grab: &&Grab| grab.under.is_none() && !self.paused.contains(&grab.bucket);
        let Some(grab) = grab.filter(may_grant) else { return BTreeMap::new() };
        let mut demands = grab.demands.clone();
        let (mut asked, mut first_left) = (Vec::new(), Priority::LAST);
        for task in ids.iter().filter_map(|id| self.task(*id)).filter(|task| task.bucket == grab.bucket) {
            match demands.iter_mut().find(|(demand, _)| demand.n > 0 && demand.is_for(task)) {
                Some((demand, deadline)) => {
                    demand.n -= 1;
                    asked.push((task, *deadline));
                }
                None => first_left = first_left.min(task.priority),
            }
        }
        asked.retain(|(task, _)| task.priority <= first_left);
        asked.into_iter().map(|(task, deadline)| (task.id, (grab.worker, deadline))).collect()
    }
}

/// The claim's order is when it was due, not when a sweep noticed.
fn come_due(task: &mut Task, now: Time) {
    task.status = Status::Ready;
    task.ready_at = task.due_at;
    task.touch(now);
}

fn run_due(task: &mut Task, worker: WorkerId, deadline: Duration, now: Time) {
    task.ready_at = task.due_at;
    task.granted(worker, deadline, now);
}

/// Word of those among these tasks that are ready, by bucket and in the claim's order.
pub(crate) fn notes<'a>(tasks: impl Iterator<Item = &'a Task>) -> Vec<(Bucket, Note)> {
    let mut lots: BTreeMap<(Bucket, Priority, Time, Kind, Lane), usize> = BTreeMap::new();
    for task in tasks.filter(|task| task.status == Status::Ready) {
        let lot = (task.bucket.clone(), task.priority, task.ready_at, task.kind.clone(), task.lane());
        *lots.entry(lot).or_default() += 1;
    }
    lots.into_iter()
        .map(|((bucket, priority, ready_at, kind, lane), n)| {
            (bucket, Note { kind, priority, ready_at, lane, n })
        })
        .collect()
}
