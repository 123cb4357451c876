//! What may happen next.

use crate::caller::Knows;
use crate::event::{Event, Loss, Wire};
use crate::law::Law;
use crate::names::{ProcessNo, TaskNo};
use crate::process::{Ask, Mood, Process, Run};
use crate::state::State;
use steadfast_core::Status;

impl State {
    /// Every event that may be next.
    pub(crate) fn choices(&self, law: &Law, choices: &mut Vec<Event>) {
        for task in TaskNo::ALL {
            self.choices_of_caller(task, choices);
            for process in ProcessNo::ALL {
                self.choices_with_task(process, task, choices);
            }
        }
        for process in ProcessNo::ALL {
            self.choices_of_process(law, process, choices);
        }
        let mut may = |yes: bool, event: Event| choices.extend(yes.then_some(event));
        may(self.late.is_some() && self.store.up, Event::ArriveLate);
        may(self.cancel.is_some() && self.store.up, Event::ArriveCancel);
        may(!self.store.up, Event::Recover);
        may(self.left.outages > 0 && self.store.up, Event::Outage);
        may(self.left.failovers > 0 && self.replica.is_none(), Event::Lag);
        may(self.replica.is_some(), Event::FailOver);
    }

    fn choices_of_caller(&self, task: TaskNo, choices: &mut Vec<Event>) {
        let keyed = task == State::KEYED;
        match self.callers[task.at()].knows {
            Knows::Nothing => choices.push(Event::Add(task)),
            Knows::Unknown if keyed => choices.push(Event::Add(task)),
            Knows::Unknown => choices.extend(self.store.up.then_some(Event::Settle(task))),
            Knows::Sent => self.choices_of_wire(Wire::Add(task), choices),
            Knows::Told => {}
        }
        // Tasks that are there from the start are alike: if one is cancelled, call it the first.
        let may_cancel = self.left.cancels > 0 && task == TaskNo::ALL[0];
        let seen = self.place(task).row().filter(|row| row.status == Status::Running);
        choices.extend(seen.filter(|_| may_cancel).map(|_| Event::Cancel(task)));
    }

    fn choices_of_wire(&self, wire: Wire, choices: &mut Vec<Event>) {
        if !self.store.up {
            return;
        }
        choices.push(Event::Arrive(wire));
        if self.left.cuts > 0 {
            choices.extend([Loss::Before, Loss::Late, Loss::After].map(|loss| Event::Cut(wire, loss)));
        }
    }

    /// What a process may do with a task, and what may happen to what it has sent.
    fn choices_with_task(&self, process: ProcessNo, task: TaskNo, choices: &mut Vec<Event>) {
        let hold = self.hold(process, task);
        if let Ask::Sent(_) = hold.ask {
            self.choices_of_wire(Wire::Ask(process, task), choices);
        }
        if let Run::Sent(..) = hold.run {
            self.choices_of_wire(Wire::End(process, task), choices);
        }
        if !self.process(process).acts() {
            return;
        }
        if hold.ask == Ask::Nothing {
            self.choices_to_ask(process, task, choices);
        }
        let mut may = |yes: bool, event: Event| choices.extend(yes.then_some(event));
        may(matches!(hold.run, Run::Unknown(..)) && self.store.up, Event::Again(process, task));
        may(self.may_give_back(process, task), Event::GiveBack(process, task));
        if let Run::Going(token) = hold.run {
            may(self.store.up, Event::Finish(process, task));
            let recalled = self.witness.tasks[task.at()].recalled;
            may(recalled == Some((token.grant, token.worker)), Event::Hear(process, task));
        }
        may(self.store.up && self.process(process).strays[task.at()].is_some(), Event::Reap(process, task));
    }

    fn choices_to_ask(&self, process: ProcessNo, task: TaskNo, choices: &mut Vec<Event>) {
        let worker = self.process(process);
        // No grab is sent past the end of the own lease; but one who stood still does not know.
        let may_grab = worker.mood == Mood::Awake && !self.store.is_lapsed(worker.life);
        let Some(row) = self.place(task).row().filter(|_| self.store.up) else { return };
        let mut may = |yes: bool, event: Event| choices.extend(yes.then_some(event));
        let ready = row.status == Status::Ready;
        may(ready && may_grab && worker.has_slot(), Event::Ask(process, task));
        may(self.left.hints > 0 && !(ready && may_grab), Event::AskAstray(process, task));
        may(self.left.ejections > 0 && row.status == Status::Running, Event::Eject(process, task));
    }

    /// A stopped run after the next renew; or a task that the store says is ours and that no call can explain.
    fn may_give_back(&self, process: ProcessNo, task: TaskNo) -> bool {
        let (worker, hold) = (self.process(process), self.hold(process, task));
        let renewed = self.store.up && worker.mood == Mood::Awake && !self.store.is_lapsed(worker.life);
        let ours = self.place(task).row().is_some_and(|row| row.worker == Some(worker.life));
        let stranger = ours && hold.run == Run::Nothing && hold.ask == Ask::Nothing;
        renewed && (stranger || matches!(hold.run, Run::Stopped(_)))
    }

    fn choices_of_process(&self, law: &Law, no: ProcessNo, choices: &mut Vec<Event>) {
        let process = self.process(no);
        let mut may = |yes: bool, event: Event| choices.extend(yes.then_some(event));
        let running = process.holds.iter().any(|hold| matches!(hold.run, Run::Going(_)));
        may(process.mood == Mood::Frozen, Event::Thaw(no));
        may(process.mood == Mood::Awake && !self.store.up && running, Event::Stop(no));
        may(process.acts() && self.store.up && self.wants_to_renew(process), Event::Renew(no));
        may(process.acts() && self.store.up && self.may_sweep(law, process), Event::Sweep(no));
        // Processes are alike: if one stands still, call it the first.
        let may_freeze = self.left.freezes > 0 && no == ProcessNo::ALL[0];
        may(process.mood == Mood::Awake && may_freeze, Event::Freeze(no));
        let alone = self.processes.iter().any(|process| process.mood == Mood::Gone);
        may(process.mood != Mood::Gone && !alone && self.left.crashes > 0, Event::Crash(no));
    }

    /// A renew that changes nothing is left out. Between two of them an interval passes, in which all who are awake
    /// renew too.
    fn wants_to_renew(&self, process: &Process) -> bool {
        let late = |other: &Process| other.mood == Mood::Awake && self.store.is_lapsed(other.life);
        let dead = !self.store.is_live(process.life);
        let others = self.processes.iter().filter(|other| other.life != process.life);
        match process.renews {
            0 => true,
            Process::RENEWS_ENOUGH => dead,
            _ => dead || !others.into_iter().any(late),
        }
    }

    /// A sweep that finds nothing is left out.
    fn may_sweep(&self, law: &Law, process: &Process) -> bool {
        let own = self.store.is_live(process.life) && !self.store.is_lapsed(process.life);
        let idle = process.strays.iter().all(Option::is_none);
        own && idle && law.may_reap(process.renews) && self.store.has_work_for_sweep(law)
    }
}
