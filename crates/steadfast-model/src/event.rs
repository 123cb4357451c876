//! One step of the model, in words.

use crate::names::{ProcessNo, TaskNo};
use std::fmt;

/// Something that happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A caller sends an add, the first time or again.
    Add(TaskNo),
    /// A caller settles a batch whose reply was lost.
    Settle(TaskNo),
    /// A hint comes, perhaps not for the first time: a worker sends a grab.
    Ask(ProcessNo, TaskNo),
    /// A handler is done: its effects and its end are sent.
    Finish(ProcessNo, TaskNo),
    /// A worker gives back what it stopped, or holds without knowing it.
    GiveBack(ProcessNo, TaskNo),
    /// A worker sends an end again of which it heard nothing.
    Again(ProcessNo, TaskNo),
    /// A worker hears that a run was taken from it.
    Hear(ProcessNo, TaskNo),
    /// A worker renews; one that is dead registers anew.
    Renew(ProcessNo),
    /// A worker marks the dead and lists what they left.
    Sweep(ProcessNo),
    /// A worker takes one of those.
    Reap(ProcessNo, TaskNo),
    /// A worker out of contact stops its runs.
    Stop(ProcessNo),
    /// What was sent reaches the store.
    Arrive(Wire),
    /// What was taken for lost reaches the store.
    ArriveLate,
    /// A cancel reaches the store.
    ArriveCancel,
    /// A process goes on.
    Thaw(ProcessNo),
    /// The store answers again.
    Recover,
    /// A process stands still.
    Freeze(ProcessNo),
    /// A process is gone.
    Crash(ProcessNo),
    /// A reply is lost.
    Cut(Wire, Loss),
    /// A hint comes for nothing, or to a worker past its lease.
    AskAstray(ProcessNo, TaskNo),
    /// A worker takes over what somebody runs.
    Eject(ProcessNo, TaskNo),
    /// A person cancels what somebody runs.
    Cancel(TaskNo),
    /// The store is away.
    Outage,
    /// The replica falls behind.
    Lag,
    /// The replica takes over.
    FailOver,
}

/// What is on its way to the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// An add.
    Add(TaskNo),
    /// A grab or an ejection.
    Ask(ProcessNo, TaskNo),
    /// The end of a run.
    End(ProcessNo, TaskNo),
}

/// Where a call was when its reply was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// It never arrives.
    Before,
    /// It arrives after its sender gave it up.
    Late,
    /// It arrived.
    After,
}

impl Event {
    /// Whether things could do without it.
    pub(crate) const fn is_mishap(self) -> bool {
        matches!(
            self,
            Self::Freeze(_)
                | Self::Crash(_)
                | Self::Cut(..)
                | Self::AskAstray(..)
                | Self::Eject(..)
                | Self::Cancel(_)
                | Self::Outage
                | Self::Lag
                | Self::FailOver
        )
    }
}

impl fmt::Display for Event {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Add(task) => write!(out, "a caller adds {task}"),
            Self::Settle(task) => write!(out, "a caller settles the add of {task}"),
            Self::Ask(worker, task) => write!(out, "{worker} asks for {task}"),
            Self::AskAstray(worker, task) => write!(out, "{worker} asks for {task} by an old hint"),
            Self::Finish(worker, task) => write!(out, "{worker} is done with {task}"),
            Self::GiveBack(worker, task) => write!(out, "{worker} gives back {task}"),
            Self::Again(worker, task) => write!(out, "{worker} ends {task} again, having heard nothing"),
            Self::Hear(worker, task) => write!(out, "{worker} hears that {task} was taken from it"),
            Self::Renew(worker) => write!(out, "{worker} renews"),
            Self::Sweep(worker) => write!(out, "{worker} sweeps"),
            Self::Reap(worker, task) => write!(out, "{worker} reaps {task}"),
            Self::Stop(worker) => write!(out, "{worker} stops its runs"),
            Self::Arrive(wire) => write!(out, "{wire} arrives"),
            Self::ArriveLate => write!(out, "what was cut off arrives late"),
            Self::ArriveCancel => write!(out, "the cancel arrives"),
            Self::Thaw(worker) => write!(out, "{worker} goes on"),
            Self::Recover => write!(out, "the store is back"),
            Self::Freeze(worker) => write!(out, "{worker} stands still past its lease"),
            Self::Crash(worker) => write!(out, "{worker} is gone"),
            Self::Cut(wire, Loss::Before) => write!(out, "{wire} gets lost"),
            Self::Cut(wire, Loss::Late) => write!(out, "{wire} is held up and given up"),
            Self::Cut(wire, Loss::After) => write!(out, "{wire} arrives, its reply gets lost"),
            Self::Eject(worker, task) => write!(out, "{worker} wants to take over {task}"),
            Self::Cancel(task) => write!(out, "a person cancels {task}"),
            Self::Outage => write!(out, "the store is away, all leases end"),
            Self::Lag => write!(out, "the replica falls behind"),
            Self::FailOver => write!(out, "the replica takes over"),
        }
    }
}

impl fmt::Display for Wire {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Add(task) => write!(out, "the add of {task}"),
            Self::Ask(worker, task) => write!(out, "the question of {worker} for {task}"),
            Self::End(worker, task) => write!(out, "the end of {task} at {worker}"),
        }
    }
}
