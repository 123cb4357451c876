//! What keeps the search small without leaving anything out: states that differ in nothing that decides are one.

use crate::event::Wire;
use crate::law::Law;
use crate::names::{ProcessNo, TaskNo};
use crate::process::{Ask, Mood, Run};
use crate::row::Token;
use crate::state::{Late, State};

impl State {
    /// What nothing can hold up any more arrives at once: under these rules it makes no difference when. Under others it
    /// may, and a story is easier to follow without.
    pub(crate) fn hurry(&mut self, law: &Law) {
        if law.fault.is_some() || self.left.can_hold_up() || !self.store.up {
            return;
        }
        for (process, task) in ProcessNo::ALL.into_iter().flat_map(|no| TaskNo::ALL.map(|task| (no, task))) {
            let (hold, life) = (self.hold(process, task), self.process(process).life);
            if !self.is_sound(process) {
                continue;
            }
            if matches!(hold.ask, Ask::Sent(asked) if asked.by == life) {
                self.arrive(law, Wire::Ask(process, task));
            }
            if matches!(hold.run, Run::Sent(token, _) if token.worker == life) {
                self.arrive(law, Wire::End(process, task));
            }
        }
    }

    /// Whether a process is awake and alive, for the store too.
    fn is_sound(&self, no: ProcessNo) -> bool {
        let process = self.process(no);
        process.mood == Mood::Awake && self.store.is_live(process.life) && !self.store.is_lapsed(process.life)
    }

    /// Word of a recall is of no use when nobody is left who could mind it: states that differ only in that are one.
    pub(crate) fn forget(&mut self) {
        for task in TaskNo::ALL {
            let Some(recalled) = self.witness.tasks[task.at()].recalled else { continue };
            let known = |token: Token| token.task == task && (token.grant, token.worker) == recalled;
            if !self.tokens().any(known) {
                self.witness.of(task).recalled = None;
            }
        }
    }

    /// Every token that is about.
    fn tokens(&self) -> impl Iterator<Item = Token> {
        let holds = self.processes.iter().flat_map(|process| process.holds);
        let late = match self.late {
            Some(Late::End(token, _)) => Some(token),
            _ => None,
        };
        holds.flat_map(|hold| [hold.ask.token(), hold.run.token()]).chain([late]).flatten()
    }
}
