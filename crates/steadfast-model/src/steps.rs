//! What each event does.

use crate::caller::Knows;
use crate::event::Event;
use crate::fault::Fault;
use crate::law::{End, Law};
use crate::names::{ProcessNo, TaskNo};
use crate::process::{Ask, Asked, Mood, Process, Run};
use crate::state::State;
use steadfast_core::seam::Settled;

impl State {
    /// The task whose caller gave it a key; the other travels with a receipt.
    pub(crate) const KEYED: TaskNo = TaskNo::ALL[0];

    /// Lets an event happen.
    pub(crate) fn step(&mut self, law: &Law, event: Event) {
        self.happen(law, event);
        self.hurry(law);
        self.forget();
    }

    fn happen(&mut self, law: &Law, event: Event) {
        match event {
            Event::Add(task) => self.callers[task.at()].knows = Knows::Sent,
            Event::Settle(task) => self.settle(task),
            Event::Ask(process, task) => self.ask(process, task, None),
            Event::AskAstray(process, task) => {
                self.left.hints -= 1;
                self.ask(process, task, None);
            }
            Event::Eject(process, task) => {
                self.left.ejections -= 1;
                let over = self.place(task).row().map(|row| row.grant);
                self.ask(process, task, over);
            }
            Event::Finish(process, task) => self.send_end(process, task, End::Done),
            Event::GiveBack(process, task) => self.send_end(process, task, End::Back),
            Event::Again(process, task) => self.again(process, task),
            Event::Hear(process, task) => self.hold_mut(process, task).run = Run::Nothing,
            Event::Renew(process) => self.renew(law, process),
            Event::Sweep(process) => self.sweep(law, process),
            Event::Reap(process, task) => {
                if let Some(token) = self.process_mut(process).strays[task.at()].take() {
                    self.commit_reap(law, token);
                }
            }
            Event::Stop(process) => self.process_mut(process).stop_runs(),
            Event::Arrive(wire) => self.arrive(law, wire),
            Event::ArriveLate => self.arrive_late(law),
            Event::ArriveCancel => self.arrive_cancel(law),
            Event::Thaw(process) => self.process_mut(process).mood = Mood::Woken,
            Event::Recover => self.store.up = true,
            Event::Cut(wire, loss) => {
                self.left.cuts -= 1;
                self.cut(law, wire, loss);
            }
            Event::Freeze(process) => {
                self.left.freezes -= 1;
                self.silence(process, Mood::Frozen);
            }
            Event::Crash(process) => {
                self.left.crashes -= 1;
                self.silence(process, Mood::Gone);
            }
            Event::Cancel(task) => {
                self.left.cancels -= 1;
                self.cancel = self.place(task).row().map(|row| (task, row.grant));
            }
            Event::Outage => self.outage(),
            Event::Lag => self.replica = Some(Box::new((self.store.clone(), self.witness.clone()))),
            Event::FailOver => self.fail_over(),
        }
    }

    fn ask(&mut self, process: ProcessNo, task: TaskNo, over: Option<u8>) {
        let by = self.process(process).life;
        self.hold_mut(process, task).ask = Ask::Sent(Asked { task, by, over });
    }

    /// Runs what was granted, in the place of an older run unless that one's end is on its way. What was granted to an
    /// earlier life is not ours.
    pub(crate) fn start(&mut self, process: ProcessNo, task: TaskNo) {
        let life = self.process(process).life;
        let hold = self.hold_mut(process, task);
        let Ask::Answered(token) = hold.ask else { return };
        if matches!(hold.run, Run::Sent(..) | Run::Unknown(..)) {
            return;
        }
        hold.ask = Ask::Nothing;
        if token.worker == life {
            hold.run = Run::Going(token);
        }
    }

    fn send_end(&mut self, process: ProcessNo, task: TaskNo, end: End) {
        let stranger = self.place(task).row().and_then(|row| row.token(task));
        let hold = self.hold_mut(process, task);
        let token = match hold.run {
            Run::Going(token) | Run::Stopped(token) => Some(token),
            _ => stranger,
        };
        if let Some(token) = token {
            hold.run = Run::Sent(token, end);
        }
    }

    /// Effects cannot be sent twice: a plain failure follows, which is lost if they were committed.
    fn again(&mut self, process: ProcessNo, task: TaskNo) {
        let hold = self.hold_mut(process, task);
        if let Run::Unknown(token, end) = hold.run {
            hold.run = Run::Sent(token, if end == End::Done { End::Retry } else { end });
        }
    }

    fn settle(&mut self, task: TaskNo) {
        let caller = &mut self.callers[task.at()];
        match self.store.settle(caller.batch) {
            Settled::Committed => caller.knows = Knows::Told,
            Settled::Never => {
                caller.knows = Knows::Nothing;
                caller.batch += 1;
            }
        }
    }

    fn renew(&mut self, law: &Law, no: ProcessNo) {
        let life = self.process(no).life;
        let was_live = self.store.is_live(life);
        if self.store.renew(law, life) {
            self.witness.revived |= !was_live;
            let process = self.process_mut(no);
            process.renews = (process.renews + 1).min(Process::RENEWS_ENOUGH);
        } else {
            self.store.register(life.next());
            let process = self.process_mut(no);
            (process.life, process.renews) = (life.next(), 1);
            process.drop_runs();
            for task in TaskNo::ALL {
                self.start(no, task);
            }
        }
        self.process_mut(no).mood = Mood::Awake;
    }

    fn sweep(&mut self, law: &Law, no: ProcessNo) {
        let dead = self.store.mark();
        let awake = |process: &Process| process.mood == Mood::Awake && dead.contains(&process.life);
        self.witness.condemned |= self.processes.iter().any(awake);
        let strays = TaskNo::ALL.map(|task| self.store.stray(task));
        if law.fault == Some(Fault::ReapByEvent) {
            for token in strays.into_iter().flatten().filter(|token| dead.contains(&token.worker)) {
                self.commit_reap(law, token);
            }
        } else {
            self.process_mut(no).strays = strays;
        }
    }

    fn silence(&mut self, no: ProcessNo, mood: Mood) {
        self.store.lapse(no);
        let process = self.process_mut(no);
        (process.mood, process.renews) = (mood, 0);
    }

    fn outage(&mut self) {
        self.left.outages -= 1;
        self.store.up = false;
        for no in ProcessNo::ALL {
            self.store.lapse(no);
            self.process_mut(no).renews = 0;
        }
    }

    fn fail_over(&mut self) {
        self.left.failovers -= 1;
        if let Some(replica) = self.replica.take() {
            let (store, witness) = *replica;
            self.store.fail_over(store);
            self.witness = witness;
        }
    }
}
