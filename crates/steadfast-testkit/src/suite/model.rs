//! A store as one would write it on a napkin: lists that are searched from end to end.
//!
//! It has no index that could be wrong and no batch that could be torn. Random walks compare stores with it.

use std::time::Duration;
use steadfast_core::seam::{Cause, Clean, Eject, Finish, Finished, Save, Saved};
use steadfast_core::{
    Act, Acted, Deed, Demand, Fence, Key, NewTask, Refusal, Retention, Status, Task, TaskId, Time, WorkerId,
};

/// What a store should hold.
#[derive(Debug, Default)]
pub(super) struct Model {
    /// All tasks with their key's window, ended ones too.
    pub(super) tasks: Vec<(Task, Duration)>,
    /// Key, task, and until when the key outlives it.
    keys: Vec<(Key, TaskId, Option<Time>)>,
    /// The workers that may hold something.
    pub(super) live: Vec<WorkerId>,
    pub(super) recalls: Vec<Fence>,
    seq: i64,
}

impl Model {
    pub(super) fn get(&self, id: TaskId) -> Option<&Task> {
        self.tasks.iter().map(|(task, _)| task).find(|task| task.id == id)
    }

    pub(super) fn named(&self, key: &Key, now: Time) -> Option<TaskId> {
        let named =
            self.keys.iter().find(|(name, _, until)| name == key && until.is_none_or(|until| until > now));
        named.map(|(_, id, _)| *id)
    }

    pub(super) fn add(&mut self, new: NewTask, now: Time) -> TaskId {
        if let Some(first) = new.key.as_ref().and_then(|key| self.named(key, now)) {
            return first;
        }
        self.seq += 1;
        let window = new.key_window;
        let task = Task::added(new, self.seq, now);
        let id = task.id;
        self.name(&task);
        self.tasks.push((task, window));
        id
    }

    pub(super) fn grab(
        &mut self,
        worker: WorkerId,
        demand: &Demand,
        deadline: Duration,
        now: Time,
    ) -> Vec<Task> {
        let fits = |task: &Task| {
            task.status == Status::Ready
                && task.kind == demand.kind
                && task.priority == demand.priority
                && task.lane() == demand.lane
        };
        let mut ready: Vec<&mut Task> =
            self.tasks.iter_mut().map(|(task, _)| task).filter(|task| fits(task)).collect();
        ready.sort_by_key(|task| (task.ready_at, task.seq));
        ready.truncate(demand.n);
        for task in &mut ready {
            task.granted(worker, deadline, now);
        }
        ready.into_iter().map(|task| task.clone()).collect()
    }

    pub(super) fn finish(&mut self, finish: &Finish, now: Time) -> Finished {
        let dead = !self.live.contains(&finish.fence.worker);
        let Some(task) = self.fenced(finish.fence) else { return Finished::Lost };
        let running = task.status == Status::Running;
        let holds = match finish.cause {
            Cause::Holder => true,
            Cause::Dead => running && dead,
            Cause::Overdue => is_overdue(task, now),
        };
        if !holds {
            return Finished::Lost;
        }
        finish.change.apply(task, now);
        let finished = Finished::Accepted { status: task.status, due_at: task.due_at };
        if finish.cause == Cause::Overdue && running {
            self.recalls.push(finish.fence);
        }
        if let Some(retention) = finish.change.to.ends() {
            self.end(finish.fence.task, retention, now);
        }
        finished
    }

    pub(super) fn save(&mut self, save: &Save, now: Time) -> Saved {
        let Some(task) = self.fenced(save.fence) else { return Saved::Lost };
        if save.step.is_some() || save.payload.is_some() {
            task.touch(now);
        }
        task.step = save.step.clone().or(task.step.take());
        if let Some(payload) = &save.payload {
            (task.payload, task.payload_len) = (Some(payload.clone()), payload.len());
        }
        task.progress = save.progress.clone().or(task.progress.take());
        task.deadline_at = save.deadline.map(|deadline| now.after(deadline)).or(task.deadline_at);
        task.failures = if save.progressed { 0 } else { task.failures };
        Saved::Kept(task.version)
    }

    pub(super) fn act(&mut self, act: &Act, now: Time) -> Result<Acted, Refusal> {
        let before = self.get(act.id).cloned().ok_or(Refusal::NoTask(act.id))?;
        act.guard.check(&before, &act.deed)?;
        let mut task = before.clone();
        let acted = act.deed.apply(&mut task, now)?;
        let back = before.status.is_final() && !acted.status.is_final();
        if let Some(holder) = task.key.as_ref().filter(|_| back).and_then(|key| self.named(key, now))
            && holder != task.id
        {
            return Err(Refusal::KeyTaken { id: task.id, holder });
        }
        if back {
            self.name(&task);
            task.payload.get_or_insert_default();
            if task.serial.is_some() {
                self.seq += 1;
                task.seq = self.seq;
            }
        }
        *self.get_mut(act.id).expect("it was there") = task;
        self.recalls.extend(acted.recalled);
        if acted.status.is_final() {
            self.end(act.id, Retention::History, now);
        }
        Ok(acted)
    }

    pub(super) fn eject(&mut self, eject: &Eject, now: Time) -> Result<Task, Refusal> {
        let task = self.get_mut(eject.id).ok_or(Refusal::NoTask(eject.id))?;
        eject.guard.check(task, &Deed::Pause)?;
        if !task.status.has_holder() {
            return Err(Refusal::Status { id: task.id, deed: "eject", status: task.status });
        }
        let old = task.fence().filter(|_| task.status == Status::Running);
        task.step = eject.step.clone().or(task.step.take());
        task.granted(eject.worker, eject.deadline, now);
        let task = task.clone();
        self.recalls.extend(old);
        Ok(task)
    }

    pub(super) fn stand_last(&mut self, id: TaskId) {
        self.seq += 1;
        for (task, _) in self.tasks.iter_mut().filter(|(task, _)| task.id == id) {
            task.seq = self.seq;
        }
    }

    /// Those that are asked for are granted, if the store does such a thing; says which, and how many are ready.
    pub(super) fn due_for(
        &mut self,
        n_max: usize,
        asked: Option<(WorkerId, &Demand, Duration)>,
        now: Time,
    ) -> (Vec<Task>, usize) {
        let mut due: Vec<&mut Task> = self
            .tasks
            .iter_mut()
            .map(|(task, _)| task)
            .filter(|task| task.status == Status::Waiting && task.due_at <= now)
            .collect();
        due.sort_by_key(|task| (task.due_at, task.seq));
        due.truncate(n_max);
        let asked_for = |task: &Task| asked.is_some_and(|(_, demand, _)| demand.is_for(task));
        let n = asked.map_or(0, |(_, demand, _)| demand.n);
        let fits: Vec<TaskId> =
            due.iter().filter(|task| asked_for(task)).take(n).map(|task| task.id).collect();
        let left = due.iter().filter(|task| !fits.contains(&task.id)).map(|task| task.priority).min();
        let mut granted = Vec::new();
        for task in &mut due {
            task.ready_at = task.due_at;
            let passes = left.is_some_and(|left| left < task.priority);
            if let Some((worker, _, deadline)) = asked.filter(|_| fits.contains(&task.id) && !passes) {
                task.granted(worker, deadline, now);
                granted.push(task.clone());
            } else {
                task.status = Status::Ready;
                task.touch(now);
            }
        }
        let ready = due.len() - granted.len();
        (granted, ready)
    }

    pub(super) fn release(&mut self, serial: &str, now: Time) {
        let mut line: Vec<&mut Task> = self
            .tasks
            .iter_mut()
            .map(|(task, _)| task)
            .filter(|task| task.serial.as_deref() == Some(serial) && !task.status.is_final())
            .collect();
        if line.iter().any(|task| task.status.is_head()) {
            return;
        }
        if let Some(task) = line.iter_mut().min_by_key(|task| task.seq) {
            task.status = if task.due_at > now { Status::Waiting } else { Status::Ready };
            task.ready_at = task.due_at.max(now);
            task.touch(now);
        }
    }

    pub(super) fn strays(&self, now: Time) -> Vec<(TaskId, Cause)> {
        let dead = |task: &Task| task.worker.is_some_and(|worker| !self.live.contains(&worker));
        let mut strays: Vec<_> = self
            .tasks
            .iter()
            .filter_map(|(task, _)| match task.status {
                Status::Running if dead(task) => Some((task.id, Cause::Dead)),
                _ if is_overdue(task, now) => Some((task.id, Cause::Overdue)),
                _ => None,
            })
            .collect();
        strays.sort();
        strays
    }

    pub(super) fn clean(&mut self, clean: &Clean, now: Time) {
        self.keys.retain(|(_, _, until)| until.is_none_or(|until| until > now));
        self.tasks.retain(|(task, _)| !task.status.is_final() || now.since(task.due_at) <= clean.history);
    }

    fn get_mut(&mut self, id: TaskId) -> Option<&mut Task> {
        self.tasks.iter_mut().map(|(task, _)| task).find(|task| task.id == id)
    }

    fn fenced(&mut self, fence: Fence) -> Option<&mut Task> {
        self.get_mut(fence.task).filter(|task| task.fence() == Some(fence))
    }

    fn name(&mut self, task: &Task) {
        let Some(key) = &task.key else { return };
        self.keys.retain(|(name, _, _)| name != key);
        self.keys.push((key.clone(), task.id, None));
    }

    fn end(&mut self, id: TaskId, retention: Retention, now: Time) {
        let at = self.tasks.iter().position(|(task, _)| task.id == id).expect("it was there");
        let (task, window) = &mut self.tasks[at];
        for (_, named, until) in &mut self.keys {
            if *named == id {
                *until = Some(now.after(*window));
            }
        }
        match retention {
            Retention::History => {}
            Retention::Bare => task.payload = None,
            Retention::Delete => drop(self.tasks.remove(at)),
        }
    }
}

fn is_overdue(task: &Task, now: Time) -> bool {
    match task.status {
        Status::Running => task.deadline_at.is_some_and(|deadline_at| deadline_at <= now),
        Status::Parked => task.due_at <= now,
        _ => false,
    }
}
