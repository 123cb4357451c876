//! Fills a store through the engine, in a process of its own: neither the time nor the memory of it is measured.

use crate::engine::{self, KIND};
use crate::{Result, place};
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;
use steadfast::New;

/// Tasks that one call adds.
const CHUNK: u32 = 1000;
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
    /// The same kind, due tomorrow.
    Waiting,
    /// Ready, of a kind whose limit is reached.
    Full,
    /// Ready, each of a kind of its own that nobody handles and that stands before the measured one.
    Foreign,
}

/// Adds them to the store in that file, in their order, and waits until it is closed.
pub(crate) fn apart(path: &Path, loads: &[Load]) -> Result<()> {
    let mut child = place::own_program()?;
    let status = child.arg("load").arg(path).args(loads.iter().map(Load::to_string)).status()?;
    if status.success() { Ok(()) } else { Err(format!("loading ended with {status}").into()) }
}

/// The same, here.
pub(crate) fn here(path: &Path, loads: &[Load]) -> Result<()> {
    engine::block_on(async {
        let engine = engine::open(path)?.start().await?;
        for load in loads {
            for first in (0..load.n).step_by(CHUNK as usize) {
                let numbers = first..load.n.min(first + CHUNK);
                engine.add_many(numbers.map(|number| load.sort.task(number))).await?;
            }
        }
        Ok(())
    })
}

impl Sort {
    const ALL: [Self; 4] = [Self::Ready, Self::Waiting, Self::Full, Self::Foreign];

    fn task(self, number: u32) -> New {
        match self {
            Self::Ready => New::json(KIND, &number),
            Self::Waiting => New::json(KIND, &number).after(FAR),
            Self::Full => New::json("full", &number),
            Self::Foreign => New::json(format!("foreign-{number:05}"), &number),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Waiting => "waiting",
            Self::Full => "full",
            Self::Foreign => "foreign",
        }
    }
}

impl fmt::Display for Load {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}={}", self.sort.name(), self.n)
    }
}

impl FromStr for Load {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let unreadable = || format!("`{text}` is no load; write ready=1000");
        let (name, n) = text.split_once('=').ok_or_else(unreadable)?;
        let sort = Sort::ALL.into_iter().find(|sort| sort.name() == name).ok_or_else(unreadable)?;
        Ok(Self { sort, n: n.parse().map_err(|_| unreadable())? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_survives_the_command_line() {
        for sort in Sort::ALL {
            let load = Load { sort, n: 7 };
            assert_eq!(load.to_string().parse(), Ok(load));
        }
        assert!("ready".parse::<Load>().is_err() && "odd=1".parse::<Load>().is_err());
    }
}
