//! What happens when a call reaches the store, and when its reply gets lost. Here the witness looks on.

use crate::caller::Knows;
use crate::event::{Loss, Wire};
use crate::law::{End, Law};
use crate::names::TaskNo;
use crate::process::{Ask, Asked, Run};
use crate::row::Token;
use crate::state::{Late, State};

impl State {
    pub(crate) fn arrive(&mut self, law: &Law, wire: Wire) {
        match wire {
            Wire::Add(task) => {
                self.commit_add(law, task, self.callers[task.at()].batch);
                self.callers[task.at()].knows = Knows::Told;
            }
            Wire::Ask(process, task) => {
                let Ask::Sent(asked) = self.hold(process, task).ask else { return };
                let token = self.commit_ask(law, asked);
                self.hold_mut(process, task).ask = token.map_or(Ask::Nothing, Ask::Answered);
                self.start(process, task);
            }
            Wire::End(process, task) => {
                let Run::Sent(token, end) = self.hold(process, task).run else { return };
                self.commit_end(law, token, end);
                self.hold_mut(process, task).run = Run::Nothing;
                self.start(process, task);
            }
        }
    }

    /// The sender hears nothing, wherever its call is.
    pub(crate) fn cut(&mut self, law: &Law, wire: Wire, loss: Loss) {
        let call = match wire {
            Wire::Add(task) => {
                self.callers[task.at()].knows = Knows::Unknown;
                Some(Late::Add(task, self.callers[task.at()].batch))
            }
            Wire::Ask(process, task) => match std::mem::take(&mut self.hold_mut(process, task).ask) {
                Ask::Sent(asked) => Some(Late::Ask(asked)),
                Ask::Nothing | Ask::Answered(_) => None,
            },
            Wire::End(process, task) => match self.hold(process, task).run {
                Run::Sent(token, end) => {
                    self.hold_mut(process, task).run = Run::Unknown(token, end);
                    Some(Late::End(token, end))
                }
                _ => None,
            },
        };
        self.late = call.filter(|_| loss != Loss::Before);
        if loss == Loss::After {
            self.arrive_late(law);
        }
    }

    pub(crate) fn arrive_late(&mut self, law: &Law) {
        match self.late.take() {
            Some(Late::Add(task, batch)) => self.commit_add(law, task, batch),
            Some(Late::Ask(asked)) => drop(self.commit_ask(law, asked)),
            Some(Late::End(token, end)) => self.commit_end(law, token, end),
            None => {}
        }
    }

    pub(crate) fn arrive_cancel(&mut self, law: &Law) {
        let Some((task, seen)) = self.cancel.take() else { return };
        if let Some(token) = self.store.cancel(law, task, seen) {
            self.witness.cancelled(token);
        }
    }

    fn commit_add(&mut self, law: &Law, task: TaskNo, batch: u8) {
        let added = if task == Self::KEYED {
            self.store.add_keyed(law, task)
        } else {
            self.store.add_with_receipt(law, task, batch)
        };
        self.witness.of(task).added += u8::from(added);
    }

    fn commit_ask(&mut self, law: &Law, asked: Asked) -> Option<Token> {
        let Asked { task, by, over } = asked;
        let token = match over {
            None => self.store.grab(law, task, by)?,
            Some(seen) => {
                let (old, new) = self.store.eject(law, task, by, seen)?;
                self.witness.recalled(old);
                new
            }
        };
        self.witness.granted(token);
        Some(token)
    }

    fn commit_end(&mut self, law: &Law, token: Token, end: End) {
        let answer = self.store.end(law, token, end);
        self.witness.ended(token, end, answer);
    }

    pub(crate) fn commit_reap(&mut self, law: &Law, token: Token) {
        if self.store.reap(law, token) {
            self.witness.over(token.task);
        }
    }
}
