//! A limit in one worker, as a handler declares it: of whom, how many at once, how often.

use crate::error::Refusal;
use crate::limit::TEXT_BYTES_MAX;
use crate::priority::Priority;
use crate::rate::Rate;
use crate::text;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Deepest tree.
const DEPTH_MAX: usize = 8;
/// Most that urgent tasks may go over a limit, in percent of it.
const STRETCH_PERCENT_MAX: u32 = 100;

/// A ceiling on runs at once in this worker, on how often they start, or on both.
///
/// ```
/// use steadfast_core::{Limit, Rate};
/// // Thirty in all, of every kind that names this limit; six more for priorities 0 to 2.
/// let partners = Limit::named("partners", 30).stretch(2, 20);
/// // Three at once for each partner (`payout|PARTNER`), and no more than five a second.
/// let partner = Limit::each(3).rate(Rate::per_second(5));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[must_use]
pub struct Limit {
    of: Of,
    max: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stretch: Option<Stretch>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rate: Option<Rate>,
}

/// Whose runs a limit counts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Of {
    /// All kinds of one handler.
    Handler,
    /// All kinds that name it.
    Named(String),
    /// One kind, suffix and all: each has its own.
    Each,
}

/// How far urgent tasks may go over a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stretch {
    least: i64,
    percent: u32,
}

impl Limit {
    /// Of all kinds of the handler together.
    pub const fn own(max: usize) -> Self {
        Self::of(Of::Handler, max)
    }

    /// Of all kinds that name it together.
    pub fn named(name: impl Into<String>, max: usize) -> Self {
        Self::of(Of::Named(name.into()), max)
    }

    /// Of each kind by itself, suffix and all.
    pub const fn each(max: usize) -> Self {
        Self::of(Of::Each, max)
    }

    /// Priorities from 0 to `least` may go over it by so many percent, one at least.
    pub fn stretch(mut self, least: impl Into<i64>, percent: u32) -> Self {
        self.stretch = Some(Stretch { least: least.into(), percent });
        self
    }

    /// No more often than this, whoever is urgent.
    pub const fn rate(mut self, rate: Rate) -> Self {
        self.rate = Some(rate);
        self
    }

    /// Whose runs it counts.
    pub const fn whose(&self) -> &Of {
        &self.of
    }

    /// Runs at once of those that are not urgent.
    pub const fn max(&self) -> usize {
        self.max
    }

    /// How often, if it says so.
    pub const fn pace(&self) -> Option<Rate> {
        self.rate
    }

    /// Runs at once of those with this priority.
    pub(crate) fn max_for(&self, priority: Priority) -> usize {
        let extra = self.extra().filter(|(_, least)| priority <= *least).map_or(0, |(extra, _)| extra);
        self.max.saturating_add(extra)
    }

    /// How many more may run if they are urgent, and what is urgent.
    pub fn extra(&self) -> Option<(usize, Priority)> {
        let Stretch { least, percent } = self.stretch?;
        let extra = self.max.saturating_mul(percent as usize).div_ceil(100);
        Some((extra, Priority::new(least).ok()?))
    }

    /// Refuses limits, widest first, that cannot work together.
    pub fn check(limits: &[Self]) -> Result<(), Refusal> {
        if limits.len() > DEPTH_MAX {
            let n = limits.len();
            return Err(Refusal::Config(format!("{n} limits, at most {DEPTH_MAX} are allowed")));
        }
        limits.iter().try_for_each(Self::check_one)?;
        let twice =
            limits.iter().enumerate().find(|(at, one)| limits[..*at].iter().any(|two| two.of == one.of));
        match twice {
            Some((_, limit)) => Err(Refusal::Config(format!("two limits of {}; keep one", limit.of.text()))),
            None => Ok(()),
        }
    }

    fn check_one(&self) -> Result<(), Refusal> {
        if let Of::Named(name) = &self.of {
            text::check("limit", name, TEXT_BYTES_MAX)?;
        }
        if self.max == 0 {
            return Err(Refusal::Config("limit is 0; nothing could run".into()));
        }
        self.stretch.map_or(Ok(()), Stretch::check)?;
        self.rate.map_or(Ok(()), Rate::check)
    }

    const fn of(of: Of, max: usize) -> Self {
        Self { of, max, stretch: None, rate: None }
    }
}

/// For people, as in `max 3 each, 5 in 1 s`.
impl fmt::Display for Limit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words = Vec::new();
        if self.max < usize::MAX {
            words.push(match &self.of {
                Of::Handler => format!("max {}", self.max),
                Of::Named(name) => format!("max {} in {name}", self.max),
                Of::Each => format!("max {} each", self.max),
            });
        }
        words.extend(self.rate.map(|rate| rate.to_string()));
        out.write_str(&words.join(", "))
    }
}

impl Of {
    fn text(&self) -> String {
        match self {
            Self::Handler => "the handler's own".into(),
            Self::Named(name) => format!("the name `{name}`"),
            Self::Each => "each kind".into(),
        }
    }
}

impl Stretch {
    fn check(self) -> Result<(), Refusal> {
        let least = Priority::new(self.least)?;
        if least == Priority::LAST {
            return Err(Refusal::Config("a stretch for all priorities is a larger limit; say that".into()));
        }
        if self.percent == 0 || self.percent > STRETCH_PERCENT_MAX {
            let (given, max) = (self.percent, STRETCH_PERCENT_MAX);
            return Err(Refusal::Config(format!("a stretch of {given} % is out of range; use 1 to {max}")));
        }
        Ok(())
    }
}

/// The handler's own.
impl From<usize> for Limit {
    fn from(max: usize) -> Self {
        Self::own(max)
    }
}

/// The handler's own, with no ceiling on runs at once.
impl From<Rate> for Limit {
    fn from(rate: Rate) -> Self {
        Self::own(usize::MAX).rate(rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn check(limits: &[Limit], expected: &str) {
        let said = Limit::check(limits).map_or_else(|refusal| refusal.to_string(), |()| "fine".into());
        assert_eq!(said, expected);
    }

    #[test]
    fn limits_that_cannot_work_are_refused_with_what_to_do() {
        check(&[Limit::named("all", 30).stretch(2, 20), 15.into(), Limit::each(3)], "fine");
        check(&[0.into()], "limit is 0; nothing could run");
        check(&[Limit::named("", 1)], "limit is empty; give it at least one character");
        check(&[Limit::own(1), 2.into()], "two limits of the handler's own; keep one");
        check(&[Limit::named("a", 1), Limit::named("a", 1)], "two limits of the name `a`; keep one");
        check(&vec![Limit::each(1); 9], "9 limits, at most 8 are allowed");
        check(&[Limit::own(1).stretch(10, 20)], "priority 10 is out of range; use 0 (most urgent) to 9");
        check(&[Limit::own(1).stretch(9, 20)], "a stretch for all priorities is a larger limit; say that");
        check(&[Limit::own(1).stretch(2, 0)], "a stretch of 0 % is out of range; use 1 to 100");
        check(&[Limit::own(1).stretch(2, 101)], "a stretch of 101 % is out of range; use 1 to 100");
        check(&[Rate::per_second(0).into()], "rate or burst is 0; nothing could start");
        check(&[Rate::per_second(1).burst(0).into()], "rate or burst is 0; nothing could start");
        let long = "the period of a rate is not between 1 µs and 24 h; choose another";
        check(&[Rate::new(1, Duration::ZERO).into()], long);
        check(&[Rate::new(1, Duration::from_secs(90_000)).into()], long);
        check(&[Rate::per_second(2_000_000).into()], "rate or burst is over 1000000; leave it out");
    }

    #[test]
    fn a_stretch_is_a_share_and_at_least_one() {
        for (max, percent, extra) in [(30, 20, 6), (3, 20, 1), (1, 1, 1), (10, 100, 10), (15, 10, 2)] {
            let limit = Limit::own(max).stretch(2, percent);
            assert_eq!(limit.extra(), Some((extra, Priority::new(2).unwrap())), "{percent} % of {max}");
        }
        assert_eq!(Limit::own(3).extra(), None);
    }
}
