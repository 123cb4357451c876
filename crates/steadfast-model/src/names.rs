//! Who is who: two tasks, two processes, and a worker for each life of a process.

use std::fmt;
use steadfast_core::{TaskId, WorkerId};

/// One of the tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TaskNo(u8);

/// One of the processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ProcessNo(u8);

/// A process from one registering to the next: what the store calls a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Life {
    /// Whose.
    pub(crate) process: ProcessNo,
    /// How many it had before.
    pub(crate) nth: u8,
}

impl TaskNo {
    /// How many there are.
    pub(crate) const N: usize = 2;
    /// All of them.
    pub(crate) const ALL: [Self; Self::N] = [Self(0), Self(1)];

    pub(crate) const fn at(self) -> usize {
        self.0 as usize
    }

    pub(crate) fn id(self) -> TaskId {
        TaskId::new(0, [self.0.into(), 0])
    }
}

impl ProcessNo {
    /// How many there are.
    pub(crate) const N: usize = 2;
    /// All of them.
    pub(crate) const ALL: [Self; Self::N] = [Self(0), Self(1)];

    pub(crate) const fn at(self) -> usize {
        self.0 as usize
    }

    pub(crate) const fn life(self, nth: u8) -> Life {
        Life { process: self, nth }
    }
}

impl Life {
    /// More than mishaps can bring about.
    const NTH_MAX: u8 = 5;

    pub(crate) fn id(self) -> WorkerId {
        WorkerId::new(self.nth.into(), [self.process.0.into(), 0])
    }

    /// Every life there can be.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        ProcessNo::ALL.into_iter().flat_map(|process| (0..=Self::NTH_MAX).map(move |nth| process.life(nth)))
    }

    pub(crate) fn next(self) -> Self {
        assert!(self.nth < Self::NTH_MAX, "a worker dies only by a mishap, and those are counted");
        Self { nth: self.nth + 1, ..self }
    }
}

impl fmt::Display for TaskNo {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(["pay", "mail"][self.at()])
    }
}

impl fmt::Display for ProcessNo {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(["A", "B"][self.at()])
    }
}

impl fmt::Display for Life {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}{}", self.process, self.nth + 1)
    }
}
