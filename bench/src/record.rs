//! A line of the results.

use crate::place;
use crate::sample::Sample;
use crate::{Result, shape::Shape};
use serde::{Deserialize, Serialize};
use std::io::Write;

/// One figure as it is kept: the median of some rounds, beside its floor. None where it does not apply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// What was measured, as git calls it.
    #[serde(default)]
    pub(crate) commit: String,
    /// `floor`, `raw` or `engine`.
    pub(crate) bench: String,
    pub(crate) store: String,
    pub(crate) shape: String,
    pub(crate) retention: Option<String>,
    #[serde(default)]
    pub(crate) rounds: usize,
    pub(crate) n: u32,
    pub(crate) seconds: f64,
    pub(crate) rate: f64,
    /// The floor's figure in the same rounds: its rate, or its p50 where the shape is about time.
    pub(crate) floor: Option<f64>,
    /// Our figure over the floor's.
    pub(crate) ratio: Option<f64>,
    /// The figure of plain statements on the store's own tables in the same rounds.
    #[serde(default)]
    pub(crate) raw: Option<f64>,
    pub(crate) p50_us: Option<f64>,
    pub(crate) p99_us: Option<f64>,
    pub(crate) cpu_ms_1k: Option<f64>,
    /// Of the server, if it is on this machine.
    #[serde(default)]
    pub(crate) server_cpu_ms_1k: Option<f64>,
    pub(crate) rss_mb: Option<f64>,
    /// Statements for each task.
    #[serde(default)]
    pub(crate) statements: Option<f64>,
    /// Bytes that the server wrote into its log for each task.
    #[serde(default)]
    pub(crate) wal_bytes: Option<f64>,
    pub(crate) once: Option<bool>,
}

impl Record {
    pub(crate) fn new(
        bench: &str,
        shape: &Shape,
        sample: Sample,
        floor: Option<&Sample>,
        raw: Option<&Sample>,
    ) -> Self {
        let floor = floor.and_then(|floor| shape.figure.of(floor));
        let own = shape.figure.of(&sample);
        Self {
            commit: String::new(),
            bench: bench.into(),
            store: shape.base.name().into(),
            shape: shape.name.into(),
            retention: shape.retention.map(str::to_owned),
            rounds: sample.rounds,
            n: sample.n,
            seconds: sample.seconds,
            rate: sample.rate,
            floor,
            ratio: own.zip(floor).map(|(own, floor)| own / floor),
            raw: raw.and_then(|raw| shape.figure.of(raw)),
            p50_us: sample.p50_us,
            p99_us: sample.p99_us,
            cpu_ms_1k: sample.cpu_ms_1k,
            server_cpu_ms_1k: sample.server_cpu_ms_1k,
            rss_mb: sample.rss_mb,
            statements: sample.statements,
            wal_bytes: sample.wal_bytes,
            once: sample.once,
        }
    }

    /// Writes it behind all others.
    pub(crate) fn append(&self) -> Result<()> {
        let path = place::results();
        path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path)?;
        writeln!(file, "{}", serde_json::to_string(self)?)?;
        Ok(())
    }

    /// All that were written, oldest first.
    pub(crate) fn read_all() -> Result<Vec<Self>> {
        let path = place::results();
        let text = std::fs::read_to_string(&path)
            .map_err(|error| format!("cannot read {}: {error}; run the benches first", path.display()))?;
        text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
    }
}
