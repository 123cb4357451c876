//! Fills a store through the engine, in a process of its own: neither the time nor the memory of it is measured.

use crate::Result;
use crate::engine::{self, KIND};
use crate::pad::{Padded, pad};
use crate::place::{self, Place};
use crate::written;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;
use steadfast::New;

/// Tasks that one call adds.
const CHUNK: u32 = 1000;
/// Bytes of payload that one call adds, unless a single one has more.
const CHUNK_BYTES: u32 = 4 << 20;
/// No bench lasts that long.
const FAR: Duration = Duration::from_secs(24 * 3600);

/// Some tasks of one sort.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Load {
    pub(crate) sort: Sort,
    pub(crate) n: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    /// Numbered, ready, of the kind that is measured.
    Ready,
    /// The same, of so many kinds in turn.
    Kinds(u32),
    /// The same kind, with payloads of about so many bytes.
    Padded(u32),
    /// The same kind, less urgent than all others.
    Last,
    /// The same kind, written past the engine, and only into PostgreSQL.
    Written,
    /// The same kind, due tomorrow.
    Waiting,
    /// Ready, of a kind whose limit is reached.
    Full,
    /// Ready, each of a kind of its own that nobody handles and that stands before the measured one.
    Foreign,
    /// Ended, in the history; written past the engine, and only into PostgreSQL.
    Ended,
}

/// Adds them to the store in that place, in their order, and waits until it is closed.
pub(crate) fn apart(place: &Place, loads: &[Load]) -> Result<()> {
    let mut child = place::own_program()?;
    let status = child.arg("load").arg(place.to_string()).args(loads.iter().map(Load::to_string)).status()?;
    if status.success() { Ok(()) } else { Err(format!("loading ended with {status}").into()) }
}

/// The same, here.
pub(crate) fn here(place: &Place, loads: &[Load]) -> Result<()> {
    let is_written = |load: &&Load| matches!(load.sort, Sort::Written | Sort::Ended);
    let (past, added): (Vec<&Load>, Vec<&Load>) = loads.iter().partition(is_written);
    add(place, &added)?;
    past.iter().try_for_each(|load| match load.sort {
        Sort::Ended => written::ended(place, load.n),
        _ => written::ready(place, load.n),
    })
}

fn add(place: &Place, loads: &[&Load]) -> Result<()> {
    engine::block_on(async {
        let engine = engine::open(place).await?.start().await?;
        for load in loads {
            let chunk = load.sort.chunk();
            for first in (0..load.n).step_by(chunk as usize) {
                let numbers = first..load.n.min(first + chunk);
                engine.add_many(numbers.map(|number| load.sort.task(number))).await?;
            }
        }
        Ok(())
    })
}

impl Sort {
    /// Those that need no number.
    const PLAIN: [Self; 7] =
        [Self::Ready, Self::Last, Self::Written, Self::Waiting, Self::Full, Self::Foreign, Self::Ended];

    /// Tasks that one call adds.
    fn chunk(self) -> u32 {
        match self {
            Self::Padded(bytes) => (CHUNK_BYTES / bytes.max(1)).clamp(1, CHUNK),
            _ => CHUNK,
        }
    }

    fn task(self, number: u32) -> New {
        match self {
            Self::Ready | Self::Written | Self::Ended => New::json(KIND, &number),
            Self::Kinds(n) => New::json(engine::kind(number % n), &number),
            Self::Padded(bytes) => New::json(KIND, &Padded { id: number, pad: pad(bytes as usize).into() }),
            Self::Last => New::json(KIND, &number).priority(9),
            Self::Waiting => New::json(KIND, &number).after(FAR),
            Self::Full => New::json("full", &number),
            Self::Foreign => New::json(format!("foreign-{number:05}"), &number),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Kinds(_) => "kinds",
            Self::Padded(_) => "padded",
            Self::Last => "last",
            Self::Written => "written",
            Self::Waiting => "waiting",
            Self::Full => "full",
            Self::Foreign => "foreign",
            Self::Ended => "ended",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        match text.split_once('-') {
            Some(("kinds", n)) => n.parse().ok().filter(|n| *n > 0).map(Self::Kinds),
            Some(("padded", bytes)) => bytes.parse().ok().map(Self::Padded),
            _ => Self::PLAIN.into_iter().find(|sort| sort.name() == text),
        }
    }
}

impl fmt::Display for Sort {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kinds(number) | Self::Padded(number) => write!(out, "{}-{number}", self.name()),
            _ => out.write_str(self.name()),
        }
    }
}

impl fmt::Display for Load {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}={}", self.sort, self.n)
    }
}

impl FromStr for Load {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let unreadable = || format!("`{text}` is no load; write ready=1000");
        let (name, n) = text.split_once('=').ok_or_else(unreadable)?;
        let sort = Sort::parse(name).ok_or_else(unreadable)?;
        Ok(Self { sort, n: n.parse().map_err(|_| unreadable())? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_survives_the_command_line() {
        for sort in Sort::PLAIN.into_iter().chain([Sort::Kinds(100), Sort::Padded(2400)]) {
            let load = Load { sort, n: 7 };
            assert_eq!(load.to_string().parse(), Ok(load));
        }
        for text in ["ready", "odd=1", "kinds=1", "kinds-0=1", "padded-x=1"] {
            assert!(text.parse::<Load>().is_err(), "{text}");
        }
    }

    #[test]
    fn large_payloads_are_added_in_small_chunks() {
        let chunks =
            [Sort::Ready, Sort::Padded(100), Sort::Padded(10_000), Sort::Padded(8 << 20)].map(Sort::chunk);
        assert_eq!(chunks, [1000, 1000, 419, 1]);
    }
}
