//! How one runner did in one race, all rounds together.

use super::peer;
use super::race::Race;
use super::record::Record;
use crate::sample::Sample;

pub(super) struct Standing {
    pub(super) runner: String,
    /// The median of each figure.
    pub(super) median: Sample,
    /// The figures that the race is about: the lowest, the median and the highest.
    pub(super) lowest: f64,
    pub(super) middle: f64,
    pub(super) highest: f64,
    pub(super) missing: u32,
    pub(super) doubled: u32,
}

/// All who have figures, the best first.
pub(super) fn of(race: &Race, records: &[Record]) -> Vec<Standing> {
    let mut runners: Vec<&str> = Vec::new();
    for record in records {
        if !runners.contains(&record.runner.as_str()) {
            runners.push(&record.runner);
        }
    }
    let mut standings: Vec<Standing> =
        runners.into_iter().filter_map(|runner| Standing::of(runner, race, records)).collect();
    standings.sort_by(|a, b| race.better(a.middle, b.middle));
    standings
}

impl Standing {
    fn of(runner: &str, race: &Race, records: &[Record]) -> Option<Self> {
        let own = || {
            records
                .iter()
                .filter(|record| record.runner == runner && record.race.as_deref() == Some(race.name))
        };
        let samples: Vec<Sample> = own().filter_map(|record| record.sample).collect();
        let figures = || samples.iter().filter_map(|sample| race.figure.of(sample));
        let median = Sample::median(&samples)?;
        Some(Self {
            runner: runner.into(),
            median,
            lowest: figures().reduce(f64::min)?,
            middle: race.figure.of(&median)?,
            highest: figures().reduce(f64::max)?,
            missing: own().map(|record| record.missing).sum(),
            doubled: own().map(|record| record.doubled).sum(),
        })
    }

    /// As people know it: with its version and its language, if it is a peer.
    pub(super) fn label(&self) -> String {
        let peer = peer::ALL.iter().find(|peer| peer.name == self.runner);
        peer.map_or_else(
            || self.runner.clone(),
            |peer| format!("{} {} ({})", peer.name, peer.version, peer.language.name()),
        )
    }
}
