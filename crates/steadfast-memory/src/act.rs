//! What people do to tasks.

use crate::state::State;
use steadfast_core::{Act, Acted, Deed, Refusal, Retention, Task, Time};

impl State {
    /// Does one act, or says why not.
    pub(crate) fn act(&mut self, act: &Act, now: Time) -> Result<Acted, Refusal> {
        if let Some(task) = self.task(act.id) {
            let task = task.clone();
            return self.act_on_living(task, act, now);
        }
        let row = self.history.get(&act.id).ok_or(Refusal::NoTask(act.id))?;
        let task = row.task.clone();
        self.act_on_ended(task, act, now)
    }

    fn act_on_living(&mut self, mut task: Task, act: &Act, now: Time) -> Result<Acted, Refusal> {
        act.guard.check(&task, &act.deed)?;
        let acted = act.deed.apply(&mut task, now)?;
        self.edit(act.id, |row| *row = task);
        if acted.status.is_final() {
            // Kept whole whatever the kind says of tasks that went well: a person may want it to run again.
            self.retire_task(act.id, Retention::History, now);
        }
        if let Some(fence) = acted.recalled {
            self.recall(fence);
        }
        Ok(acted)
    }

    /// The only act that fits an ended task is to run it again.
    fn act_on_ended(&mut self, mut task: Task, act: &Act, now: Time) -> Result<Acted, Refusal> {
        act.guard.check(&task, &act.deed)?;
        let acted = act.deed.apply(&mut task, now)?;
        debug_assert!(matches!(act.deed, Deed::Again(_)));
        self.take_key_back(&task, now)?;
        // An empty payload is never gone, whatever was kept.
        task.payload.get_or_insert_default();
        if task.serial.is_some() {
            // It left the head of its queue when it ended and goes to the end.
            task.seq = self.next_seq();
        }
        if let Some(mut row) = self.forget(act.id) {
            row.task = task;
            self.insert(row);
        }
        Ok(acted)
    }

    fn take_key_back(&mut self, task: &Task, now: Time) -> Result<(), Refusal> {
        let Some(key) = &task.key else { return Ok(()) };
        match self.named(key, now) {
            Some(holder) if holder != task.id => Err(Refusal::KeyTaken { id: task.id, holder }),
            _ => {
                self.name(key.clone(), task.id);
                Ok(())
            }
        }
    }
}
