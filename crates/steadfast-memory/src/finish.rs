//! The holders' writes: the ends of runs, and where runs stand.

use crate::state::State;
use steadfast_core::seam::{Cause, Finish, Finished, Save, Saved};
use steadfast_core::{Status, Task, Time};

impl State {
    /// Ends a run, if the fence and the cause still hold.
    pub(crate) fn finish(&mut self, finish: &Finish, now: Time) -> Finished {
        let fence = finish.fence;
        let Some(task) = self.fenced(fence).filter(|task| self.holds(finish.cause, task, now)) else {
            return Finished::Lost;
        };
        if finish.cause == Cause::Overdue && task.status == Status::Running {
            self.recall(fence);
        }
        let Some(task) = self.edit(fence.task, |task| finish.change.apply(task, now)) else {
            return Finished::Lost;
        };
        let finished = Finished::Accepted { status: task.status, due_at: task.due_at };
        if let Some(retention) = finish.change.to.ends() {
            self.retire_task(fence.task, retention, now);
        }
        finished
    }

    /// Writes down where a run stands, if the fence still holds.
    pub(crate) fn save(&mut self, save: &Save, now: Time) -> Saved {
        if self.fenced(save.fence).is_none() {
            return Saved::Lost;
        }
        match self.edit(save.fence.task, |task| write(task, save, now)) {
            Some(task) => Saved::Kept(task.version),
            None => Saved::Lost,
        }
    }

    /// Whether a sweep's reason still holds: it looked some time ago. A holder needs none but its fence.
    fn holds(&self, cause: Cause, task: &Task, now: Time) -> bool {
        match cause {
            Cause::Holder => true,
            // A parked task needs no worker: one that was parked meanwhile stays.
            Cause::Dead => task.status == Status::Running && task.worker.is_some_and(|id| !self.is_live(id)),
            Cause::Overdue => is_overdue(task, now),
        }
    }
}

/// Whether a run is past its deadline, or a parked task past its time.
fn is_overdue(task: &Task, now: Time) -> bool {
    match task.status {
        Status::Running => task.deadline_at.is_some_and(|deadline_at| deadline_at <= now),
        Status::Parked => task.due_at <= now,
        _ => false,
    }
}

fn write(task: &mut Task, save: &Save, now: Time) {
    if save.step.is_some() || save.payload.is_some() {
        task.touch(now);
    }
    if let Some(step) = &save.step {
        task.step = Some(step.clone());
    }
    if let Some(payload) = &save.payload {
        task.payload_len = payload.len();
        task.payload = Some(payload.clone());
    }
    if let Some(progress) = &save.progress {
        task.progress = Some(progress.clone());
    }
    if let Some(deadline) = save.deadline {
        task.deadline_at = Some(now.after(deadline));
    }
    if save.progressed {
        task.failures = 0;
    }
}
