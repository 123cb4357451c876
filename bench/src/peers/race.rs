//! The loads that all peers are put through.

use super::bar::Bar;
use super::peer::Peer;
use crate::Result;
use crate::shape::Figure;
use std::cmp::Ordering;

/// One load, with the shape through which Steadfast and the floor take part in it.
#[derive(Debug)]
pub(crate) struct Race {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) what: &'static str,
    pub(crate) figure: Figure,
    pub(super) shape: &'static str,
    pub(super) load: Load,
    /// What Steadfast has to reach.
    pub(super) bars: &'static [Bar],
}

/// What a peer's program is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Load {
    Drain,
    Add,
    Cycle,
    Latency,
    /// One process calls, another one serves.
    LatencyApart,
}

/// Callers who add at once, as in the shapes.
pub(super) const ADDERS: u32 = 16;
pub(super) const CYCLERS: u32 = 256;
/// Adds a second where time is measured, and how many.
pub(super) const RATE: u32 = 100;
pub(super) const TIMED: u32 = 300;

pub(crate) const ALL: &[Race] = &[
    Race {
        name: "drain",
        title: "Drain: tasks a second out of a backlog",
        what: "Ready tasks that do nothing are worked off, from the start of the worker to the last recorded end; the floor claims and deletes 500 at a time on one connection.",
        figure: Figure::Rate,
        shape: "drain",
        load: Load::Drain,
        bars: &[Bar::OfFloor(0.65), Bar::OfBestPeer(1.5)],
    },
    Race {
        name: "add",
        title: "Add: single adds a second from 16 callers",
        what: "Each caller awaits the commit of its add before the next one; nobody runs them. The floor inserts single rows on 16 connections.",
        figure: Figure::Rate,
        shape: "add",
        load: Load::Add,
        bars: &[Bar::OfFloor(1.8)],
    },
    Race {
        name: "cycle",
        title: "Cycle: tasks a second added singly by 256 callers while a worker runs them",
        what: "From the first add to the last recorded end, all in one process. The floor inserts 1,000 at a time on one connection while it claims and deletes 500 at a time on another.",
        figure: Figure::Rate,
        shape: "add-and-run",
        load: Load::Cycle,
        bars: &[Bar::OfFloor(0.7), Bar::OfBestPeer(10.0)],
    },
    Race {
        name: "latency",
        title: "Latency: from the call of add to the start of the handler",
        what: "100 adds a second on an idle machine, in the process that runs them. The floor is one committed insert.",
        figure: Figure::P50,
        shape: "latency",
        load: Load::Latency,
        bars: &[Bar::OverFloorUs(100.0)],
    },
    Race {
        name: "latency-apart",
        title: "Latency between two processes",
        what: "The same with the adds in one process and the handlers in another. The floor is one committed insert.",
        figure: Figure::P50,
        shape: "latency-apart",
        load: Load::LatencyApart,
        bars: &[Bar::ShortestP50, Bar::ShortestP99],
    },
];

impl Race {
    /// The better of two figures first: a high rate, a short time.
    pub(super) fn better(&self, one: f64, other: f64) -> Ordering {
        match self.figure {
            Figure::Rate => other.total_cmp(&one),
            Figure::P50 => one.total_cmp(&other),
        }
    }

    /// Whether a figure is not half as good as another.
    pub(super) fn is_far_behind(&self, one: f64, other: f64) -> bool {
        match self.figure {
            Figure::Rate => one * 2.0 < other,
            Figure::P50 => one > other * 2.0,
        }
    }

    pub(super) fn find(name: &str) -> Result<&'static Self> {
        let known = || ALL.iter().map(|race| race.name).collect::<Vec<_>>().join(", ");
        let found = ALL.iter().find(|race| race.name == name);
        found.ok_or_else(|| format!("unknown race `{name}` (known: {})", known()).into())
    }
}

impl Load {
    /// How many tasks a peer is given.
    pub(super) const fn tasks(self, peer: &Peer) -> u32 {
        match self {
            Self::Drain => peer.sizes.drain,
            Self::Add => peer.sizes.add,
            Self::Cycle => peer.sizes.cycle,
            Self::Latency | Self::LatencyApart => TIMED,
        }
    }
}
