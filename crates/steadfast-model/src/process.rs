//! A process: what a worker knows, which is never the truth, and what it has sent.

use crate::law::End;
use crate::names::{Life, ProcessNo, TaskNo};
use crate::row::Token;

/// One engine process.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Process {
    /// Who it is to the store.
    pub(crate) life: Life,
    pub(crate) mood: Mood,
    /// Renews without a break: none, one, or enough.
    pub(crate) renews: u8,
    pub(crate) holds: [Hold; TaskNo::N],
    /// What a sweep saw and has not taken yet.
    pub(crate) strays: [Option<Token>; TaskNo::N],
}

/// Whether it does anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Mood {
    /// It runs, and renews in time if the store answers.
    Awake,
    /// It stands still.
    Frozen,
    /// It goes on and does not know yet for how long it stood still.
    Woken,
    /// It is gone for good.
    Gone,
}

/// What it has to do with a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Hold {
    pub(crate) ask: Ask,
    pub(crate) run: Run,
}

/// On the way to a grant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) enum Ask {
    /// Nothing is.
    #[default]
    Nothing,
    /// A grab or an ejection is on its way to the store.
    Sent(Asked),
    /// The store has said yes, and an older run of the same task is not over yet.
    Answered(Token),
}

/// Who asks, and for what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Asked {
    pub(crate) task: TaskNo,
    pub(crate) by: Life,
    /// The grant of the run that is to be taken over; none for a grab.
    pub(crate) over: Option<u8>,
}

/// From the grant to the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) enum Run {
    /// Nothing runs.
    #[default]
    Nothing,
    /// The handler is at work.
    Going(Token),
    /// It was told to stop before the lease ended; it is given back after the next renew.
    Stopped(Token),
    /// Its end is on its way to the store.
    Sent(Token, End),
    /// Nobody knows what became of its end.
    Unknown(Token, End),
}

impl Ask {
    pub(crate) fn token(self) -> Option<Token> {
        match self {
            Self::Answered(token) => Some(token),
            Self::Nothing | Self::Sent(_) => None,
        }
    }
}

impl Run {
    pub(crate) fn token(self) -> Option<Token> {
        match self {
            Self::Nothing => None,
            Self::Going(token) | Self::Stopped(token) | Self::Sent(token, _) | Self::Unknown(token, _) => {
                Some(token)
            }
        }
    }
}

impl Process {
    pub(crate) fn new(no: ProcessNo) -> Self {
        Self {
            life: no.life(0),
            mood: Mood::Awake,
            renews: Self::RENEWS_ENOUGH,
            holds: [Hold::default(); TaskNo::N],
            strays: [None; TaskNo::N],
        }
    }

    /// More make no difference.
    pub(crate) const RENEWS_ENOUGH: u8 = 2;

    pub(crate) fn acts(&self) -> bool {
        matches!(self.mood, Mood::Awake | Mood::Woken)
    }

    /// It runs one task at a time. Old hints and ejections do not ask: they find what it still runs.
    pub(crate) fn has_slot(&self) -> bool {
        self.holds.iter().all(|hold| *hold == Hold::default())
    }

    /// It hears that it is dead: its runs are dropped. What it has sent is on its way all the same.
    pub(crate) fn drop_runs(&mut self) {
        for hold in &mut self.holds {
            if !matches!(hold.run, Run::Sent(..)) {
                hold.run = Run::Nothing;
            }
        }
    }

    /// It cannot renew: it stops its runs before others may take them.
    pub(crate) fn stop_runs(&mut self) {
        for hold in &mut self.holds {
            if let Run::Going(token) = hold.run {
                hold.run = Run::Stopped(token);
            }
        }
    }
}
