//! Taking tasks: by a grab, or by ejecting whoever holds them.

use crate::rows::inline;
use crate::state::State;
use steadfast_core::seam::{Eject, Grab};
use steadfast_core::{ClusterPath, Deed, Refusal, Status, Task, TaskId, Time};

impl State {
    /// Takes what the demands ask for, as far as it is there.
    ///
    /// Whether the worker is alive is not asked: a grab that comes after its worker's death is reaped like any
    /// other run without a live holder.
    pub(crate) fn grab(&mut self, grab: &Grab, now: Time) -> Vec<Task> {
        let mut granted = Vec::new();
        if self.paused.contains(&grab.bucket) {
            return granted;
        }
        let mut room = grab.under.as_ref().map_or(usize::MAX, |path| self.cluster_room(path));
        for (demand, deadline) in &grab.demands {
            let Some(ready) = self.index.ready.get(&grab.bucket) else { break };
            let ids: Vec<TaskId> =
                ready.of(&demand.kind, demand.priority, demand.lane).take(demand.n.min(room)).collect();
            room -= ids.len();
            for id in ids {
                granted.extend(self.edit(id, |task| task.granted(grab.worker, *deadline, now)).map(inline));
                match &grab.under {
                    Some(path) => self.limited.insert(id, path.leaf().to_owned()),
                    None => self.limited.remove(&id),
                };
            }
        }
        granted
    }

    /// How many more may run under these limits. What nobody holds any more is forgotten here; a parked task takes no room,
    /// but is remembered, since it may be ejected.
    fn cluster_room(&mut self, path: &ClusterPath) -> usize {
        let mut limited = std::mem::take(&mut self.limited);
        limited.retain(|id, _| self.task(*id).is_some_and(|task| task.status.has_holder()));
        self.limited = limited;
        let runs = |id: &TaskId| self.task(*id).is_some_and(|task| task.status == Status::Running);
        let running =
            |path: &str| self.limited.iter().filter(|(id, leaf)| leaf.starts_with(path) && runs(id)).count();
        path.room(|path| u32::try_from(running(path)).unwrap_or(u32::MAX)) as usize
    }

    /// Takes a running or parked task over at once. A parked one has no run to recall.
    pub(crate) fn eject(&mut self, eject: &Eject, now: Time) -> Result<Task, Refusal> {
        let row = self.tasks().get(&eject.id).or_else(|| self.history.get(&eject.id));
        let task = &row.ok_or(Refusal::NoTask(eject.id))?.task;
        // Ejecting stops a run as a pause does, so the same guards are good for it.
        eject.guard.check(task, &Deed::Pause)?;
        if !task.status.has_holder() {
            return Err(Refusal::Status { id: task.id, deed: "eject", status: task.status });
        }
        if let Some(fence) = task.fence().filter(|_| task.status == Status::Running) {
            self.recall(fence);
        }
        self.edit(eject.id, |task| take_over(task, eject, now)).map(inline).ok_or(Refusal::NoTask(eject.id))
    }
}

fn take_over(task: &mut Task, eject: &Eject, now: Time) {
    if let Some(step) = &eject.step {
        task.step = Some(step.clone());
    }
    if let Some(payload) = &eject.payload {
        task.payload_len = payload.len();
        task.payload = Some(payload.clone());
    }
    task.granted(eject.worker, eject.deadline, now);
}
