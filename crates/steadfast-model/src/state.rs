//! The whole world at one moment.

use crate::caller::Caller;
use crate::law::{End, Law};
use crate::names::{ProcessNo, TaskNo};
use crate::process::{Asked, Hold, Process};
use crate::row::{Place, Token};
use crate::scene::{Mishaps, Scene};
use crate::store::Store;
use crate::witness::Witness;
use std::fmt;

/// Everything that can differ.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State {
    pub(crate) store: Store,
    pub(crate) processes: [Process; ProcessNo::N],
    pub(crate) callers: [Caller; TaskNo::N],
    /// A person's cancel on its way, with the grant that the person saw.
    pub(crate) cancel: Option<(TaskNo, u8)>,
    /// A call that its sender has given up and that arrives all the same.
    pub(crate) late: Option<Late>,
    /// The store as a lagging replica has it, and what was to be seen by then.
    pub(crate) replica: Option<Box<(Store, Witness)>>,
    pub(crate) witness: Witness,
    /// What may still go wrong.
    pub(crate) left: Mishaps,
}

/// A call without anybody who waits for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Late {
    /// An add in a batch.
    Add(TaskNo, u8),
    /// A grab or an ejection.
    Ask(Asked),
    /// The end of a run.
    End(Token, End),
}

impl State {
    pub(crate) fn new(law: &Law, scene: Scene) -> Self {
        Self {
            store: Store::new(law, scene.adds),
            processes: ProcessNo::ALL.map(Process::new),
            callers: [Caller::new(scene.adds); TaskNo::N],
            cancel: None,
            late: None,
            replica: None,
            witness: Witness::new(scene.adds),
            left: scene.mishaps,
        }
    }

    pub(crate) fn process(&self, no: ProcessNo) -> &Process {
        &self.processes[no.at()]
    }

    pub(crate) fn process_mut(&mut self, no: ProcessNo) -> &mut Process {
        &mut self.processes[no.at()]
    }

    pub(crate) fn hold(&self, worker: ProcessNo, task: TaskNo) -> Hold {
        self.process(worker).holds[task.at()]
    }

    pub(crate) fn hold_mut(&mut self, worker: ProcessNo, task: TaskNo) -> &mut Hold {
        &mut self.process_mut(worker).holds[task.at()]
    }

    pub(crate) fn place(&self, no: TaskNo) -> Place {
        self.store.places[no.at()]
    }
}

/// Where the tasks are, for the line of an event.
impl fmt::Display for State {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = TaskNo::ALL;
        write!(out, "{first} {}, {second} {}", self.place(first), self.place(second))
    }
}
