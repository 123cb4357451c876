//! How one runner did in one race, all rounds together.

use super::heat::Runner;
use super::peer::{self, Peer};
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

/// Whether a peer can no longer be the best of them in a race: it has no figure, or one not half as good.
pub(super) fn is_out(runner: Runner, race: &Race, records: &[Record]) -> bool {
    let Runner::Peer(peer) = runner else { return false };
    let standings = of(race, records);
    let Some(best) = standings.iter().find(|standing| standing.is_peer()) else { return false };
    let own = standings.iter().find(|standing| standing.runner == peer.name);
    own.is_none_or(|own| race.is_far_behind(own.middle, best.middle))
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

    pub(super) fn is_peer(&self) -> bool {
        self.peer().is_some()
    }

    fn peer(&self) -> Option<&'static Peer> {
        peer::ALL.iter().find(|peer| peer.name == self.runner)
    }

    /// As people know it: with its version and its language, if it is a peer.
    pub(super) fn label(&self) -> String {
        self.peer().map_or_else(
            || self.runner.clone(),
            |peer| format!("{} {} ({})", peer.name, peer.version, peer.language.name()),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(runner: &str, rate: f64) -> Record {
        Record {
            commit: String::new(),
            runner: runner.into(),
            race: Some("drain".into()),
            round: 1,
            sample: Some(Sample { rate, ..Sample::default() }),
            missing: 0,
            doubled: 0,
            fault: None,
        }
    }

    #[test]
    fn only_a_peer_that_is_not_half_as_good_as_the_best_of_them_is_out() {
        let records = [
            record("floor", 9.0),
            record("Steadfast", 1000.0),
            record("river", 100.0),
            record("awa", 51.0),
            record("apalis", 49.0),
        ];
        let race = Race::find("drain").unwrap();
        let is_out = |name: &str| is_out(Runner::Peer(Peer::find(name).unwrap()), race, &records);
        assert_eq!(["river", "awa", "apalis", "pg-boss"].map(is_out), [false, false, true, true]);
        assert!(!super::is_out(Runner::Floor, race, &records));
        assert!(!super::is_out(Runner::Peer(Peer::find("river").unwrap()), race, &[]));
    }
}
