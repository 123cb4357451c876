//! What one half of one round measured.

use crate::percentile;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Figures of one round; none where a figure does not apply.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Sample {
    /// How many rounds it is the median of; none of a round itself.
    #[serde(default)]
    pub(crate) rounds: usize,
    /// Tasks.
    pub(crate) n: u32,
    pub(crate) seconds: f64,
    /// In the shape's unit.
    pub(crate) rate: f64,
    pub(crate) p50_us: Option<f64>,
    pub(crate) p99_us: Option<f64>,
    /// Processor time for a thousand tasks, in milliseconds.
    pub(crate) cpu_ms_1k: Option<f64>,
    /// The same of the server, if there is one on this machine.
    #[serde(default)]
    pub(crate) server_cpu_ms_1k: Option<f64>,
    /// The most memory the process held.
    pub(crate) rss_mb: Option<f64>,
    /// Statements for each task.
    pub(crate) statements: Option<f64>,
    /// Bytes that the server wrote into its log for each task.
    #[serde(default)]
    pub(crate) wal_bytes: Option<f64>,
    /// Whether every task ran exactly once.
    pub(crate) once: Option<bool>,
}

impl Sample {
    /// With the middle and the tail of these times.
    pub(crate) fn with_times(self, times: &mut [Duration]) -> Self {
        Self { p50_us: percentile::micros(times, 50), p99_us: percentile::micros(times, 99), ..self }
    }

    /// The median of each figure on its own; once only if it was so each time.
    pub(crate) fn median(rounds: &[Self]) -> Option<Self> {
        let first = rounds.first()?;
        let of =
            |figure: fn(&Self) -> Option<f64>| percentile::median(rounds.iter().filter_map(figure).collect());
        Some(Self {
            rounds: rounds.len(),
            n: first.n,
            seconds: of(|round| Some(round.seconds))?,
            rate: of(|round| Some(round.rate))?,
            p50_us: of(|round| round.p50_us),
            p99_us: of(|round| round.p99_us),
            cpu_ms_1k: of(|round| round.cpu_ms_1k),
            server_cpu_ms_1k: of(|round| round.server_cpu_ms_1k),
            rss_mb: of(|round| round.rss_mb),
            statements: of(|round| round.statements),
            wal_bytes: of(|round| round.wal_bytes),
            once: first.once.map(|_| rounds.iter().all(|round| round.once == Some(true))),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(rate: f64, once: bool) -> Sample {
        Sample { n: 1, seconds: 1.0, rate, once: Some(once), ..Sample::default() }
    }

    #[test]
    fn one_bad_round_moves_no_median_but_spoils_exactly_once() {
        let median = Sample::median(&[sample(90.0, true), sample(5.0, false), sample(100.0, true)]).unwrap();
        assert!((median.rate - 90.0).abs() < f64::EPSILON);
        assert_eq!((median.rounds, median.once, median.p50_us), (3, Some(false), None));
        assert_eq!(Sample::median(&[]), None);
    }
}
