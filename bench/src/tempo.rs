//! How fast tasks are added when that is given and not measured.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::time::Duration;

/// So many tasks, some at a time, at fixed intervals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tempo {
    pub(crate) n: u32,
    /// At a time.
    pub(crate) each: u32,
    pub(crate) every_us: u32,
}

impl Tempo {
    /// The numbers that are added together, with the time since the beginning at which they are.
    pub(crate) fn turns(self) -> impl Iterator<Item = (Duration, Range<u32>)> {
        let every = Duration::from_micros(self.every_us.into());
        (0..self.n.div_ceil(self.each)).map(move |turn| {
            let first = turn * self.each;
            (every * turn, first..self.n.min(first + self.each))
        })
    }
}

impl fmt::Display for Tempo {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}:{}", self.n, self.each, self.every_us)
    }
}

impl FromStr for Tempo {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let unreadable = || format!("`{text}` is no tempo; write 500:1:10000 for 500, 1 each 10,000 µs");
        let parts: Vec<u32> = text
            .split(':')
            .map(str::parse)
            .collect::<Result<_, std::num::ParseIntError>>()
            .map_err(|_| unreadable())?;
        match parts.as_slice() {
            &[n, each, every_us] if each > 0 => Ok(Self { n, each, every_us }),
            _ => Err(unreadable()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tempo_survives_the_command_line() {
        let tempo = Tempo { n: 500, each: 1, every_us: 10_000 };
        assert_eq!(tempo.to_string().parse(), Ok(tempo));
        assert!("500:1".parse::<Tempo>().is_err() && "5:0:1".parse::<Tempo>().is_err());
    }

    #[test]
    fn every_number_has_its_turn() {
        let turns: Vec<_> = Tempo { n: 5, each: 2, every_us: 100 }.turns().collect();
        let at = Duration::from_micros;
        assert_eq!(turns, [(at(0), 0..2), (at(100), 2..4), (at(200), 4..5)]);
    }
}
