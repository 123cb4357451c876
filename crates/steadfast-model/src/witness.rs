//! What somebody saw who sees every commit: the properties are about this, not about what the store believes.

use crate::law::End;
use crate::names::{Life, TaskNo};
use crate::row::Token;
use crate::store::Ended;

/// Everything that counts.
#[expect(clippy::struct_excessive_bools, reason = "each is a rule that was broken")]
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Witness {
    pub(crate) tasks: [Seen; TaskNo::N],
    /// A holder wrote whose grant was not the newest.
    pub(crate) stale_write: bool,
    /// A run ended that was taken from its worker before.
    pub(crate) recalled_end: bool,
    /// A dead worker renewed.
    pub(crate) revived: bool,
    /// A worker was declared dead that had never stood still.
    pub(crate) condemned: bool,
}

/// What happened to a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Seen {
    /// How often it was added.
    pub(crate) added: u8,
    /// The newest grant and to whom, while it is good.
    granted: Option<(u8, Life)>,
    /// The last grant that was taken from its worker.
    pub(crate) recalled: Option<(u8, Life)>,
    /// How often it ended.
    pub(crate) ends: u8,
    /// How often its effects were committed.
    pub(crate) effects: u8,
}

impl Witness {
    pub(crate) const fn new(adds: bool) -> Self {
        let added = if adds { 0 } else { 1 };
        let seen = Seen { added, granted: None, recalled: None, ends: 0, effects: 0 };
        Self {
            tasks: [seen; TaskNo::N],
            stale_write: false,
            recalled_end: false,
            revived: false,
            condemned: false,
        }
    }

    pub(crate) fn of(&mut self, no: TaskNo) -> &mut Seen {
        &mut self.tasks[no.at()]
    }

    pub(crate) fn granted(&mut self, token: Token) {
        self.of(token.task).granted = Some((token.grant, token.worker));
    }

    /// A run was taken from its worker.
    pub(crate) fn recalled(&mut self, token: Token) {
        self.of(token.task).recalled = Some((token.grant, token.worker));
    }

    /// A person ended a task.
    pub(crate) fn cancelled(&mut self, token: Token) {
        self.recalled(token);
        self.over(token.task);
        self.of(token.task).ends += 1;
    }

    /// Nobody holds a task any more.
    pub(crate) fn over(&mut self, no: TaskNo) {
        self.of(no).granted = None;
    }

    /// The store answered a holder's write.
    pub(crate) fn ended(&mut self, token: Token, end: End, answer: Ended) {
        let seen = self.of(token.task);
        seen.effects += u8::from(answer.effects);
        if !answer.accepted {
            return;
        }
        seen.ends += u8::from(end == End::Done);
        let run = Some((token.grant, token.worker));
        let (stale, recalled) = (seen.granted != run, seen.recalled == run);
        self.stale_write |= stale;
        self.recalled_end |= recalled;
        self.over(token.task);
    }
}
