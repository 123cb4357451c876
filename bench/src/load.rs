//! Fills a store through the engine, in a process of its own: neither the time nor the memory of it is measured.

use crate::Result;
use crate::engine::{self, KIND, KINDS};
use crate::place::{self, Place};
use crate::plain::postgres::Plain;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;
use steadfast::New;

/// Tasks that one call adds.
const CHUNK: u32 = 1000;
/// Ended tasks that one statement writes.
const ENDED_CHUNK: u32 = 100_000;
const ENDED: &str = r#"
    insert into history (
        seq, id, bucket, kind, status, priority, due_at, ready_at, base_at, created_at, changed_at,
        "grant", version, attempt, failures, lost, format, payload_len, payload
    )
    select
        -number, ('01800000-0000-7000-8000-' || lpad(to_hex(number), 12, '0'))::uuid, 'default', 'noop', 7, 5,
        time, time, time, time, time, 1, 2, 1, 0, 0, 0, 2, '\x3131'
    from generate_series($1::bigint, $2::bigint - 1) as number
    cross join lateral (select 1600000000000000 + number) as at (time)"#;
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
    /// The same, of ten kinds in turn.
    Tenfold,
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
    let (ended, living): (Vec<Load>, Vec<Load>) = loads.iter().partition(|load| load.sort == Sort::Ended);
    add(place, &living)?;
    ended.iter().try_for_each(|load| write_ended(place, load.n))
}

fn add(place: &Place, loads: &[Load]) -> Result<()> {
    engine::block_on(async {
        let engine = engine::open(place).await?.start().await?;
        for load in loads {
            for first in (0..load.n).step_by(CHUNK as usize) {
                let numbers = first..load.n.min(first + CHUNK);
                engine.add_many(numbers.map(|number| load.sort.task(number))).await?;
            }
        }
        Ok(())
    })
}

fn write_ended(place: &Place, n: u32) -> Result<()> {
    let Place::Schema(schema) = place else { return Err("only PostgreSQL is given a history".into()) };
    let db = Plain::open(schema)?;
    let write = db.prepare(ENDED)?;
    for first in (0..n).step_by(ENDED_CHUNK as usize) {
        db.execute(&write, &[&i64::from(first), &i64::from(n.min(first + ENDED_CHUNK))])?;
    }
    db.batch("vacuum (analyze) history")
}

impl Sort {
    const ALL: [Self; 6] =
        [Self::Ready, Self::Tenfold, Self::Waiting, Self::Full, Self::Foreign, Self::Ended];

    fn task(self, number: u32) -> New {
        match self {
            Self::Ready | Self::Ended => New::json(KIND, &number),
            Self::Tenfold => New::json(KINDS[number as usize % KINDS.len()], &number),
            Self::Waiting => New::json(KIND, &number).after(FAR),
            Self::Full => New::json("full", &number),
            Self::Foreign => New::json(format!("foreign-{number:05}"), &number),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Tenfold => "tenfold",
            Self::Waiting => "waiting",
            Self::Full => "full",
            Self::Foreign => "foreign",
            Self::Ended => "ended",
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
