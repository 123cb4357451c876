//! A line of what was measured.

use super::heat::{Heat, Outcome};
use super::peer::Peer;
use super::race::Race;
use crate::report::grouped;
use crate::sample::Sample;
use crate::shape::Figure;
use crate::{Result, place};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

/// One run as it is kept, or why there is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) commit: String,
    /// A peer, `Steadfast` or `floor`.
    pub(crate) runner: String,
    /// None of a peer that could not be built.
    pub(crate) race: Option<String>,
    pub(crate) round: usize,
    pub(crate) sample: Option<Sample>,
    pub(crate) missing: u32,
    pub(crate) doubled: u32,
    pub(crate) fault: Option<String>,
}

impl Record {
    pub(super) fn of(heat: &Heat<'_>, commit: &str, outcome: Result<Outcome>) -> Self {
        let (outcome, fault) = match outcome {
            Ok(outcome) => (Some(outcome), None),
            Err(fault) => (None, Some(fault.to_string())),
        };
        Self {
            commit: commit.into(),
            runner: heat.runner.name().into(),
            race: Some(heat.race.name.into()),
            round: heat.round,
            sample: outcome.map(|outcome| outcome.sample),
            missing: outcome.map_or(0, |outcome| outcome.missing),
            doubled: outcome.map_or(0, |outcome| outcome.doubled),
            fault,
        }
    }

    pub(super) fn unbuilt(peer: &Peer, commit: &str, fault: &str) -> Self {
        Self {
            commit: commit.into(),
            runner: peer.name.into(),
            race: None,
            round: 0,
            sample: None,
            missing: 0,
            doubled: 0,
            fault: Some(fault.into()),
        }
    }

    /// What happened, for the terminal.
    pub(super) fn line(&self, race: &Race) -> String {
        let what = format!("{} {}", race.name, self.runner);
        let (Some(sample), None) = (self.sample, &self.fault) else {
            return format!("{what}: {}", self.fault.as_deref().unwrap_or("no figure"));
        };
        let figure = match race.figure {
            Figure::Rate => format!("{} /s", grouped(sample.rate)),
            Figure::P50 => format!("p50 {} µs", grouped(sample.p50_us.unwrap_or_default())),
        };
        let wrong = if sample.once == Some(false) {
            format!(", {} missing, {} doubled", self.missing, self.doubled)
        } else {
            String::new()
        };
        format!("{what}: {figure}{wrong}")
    }
}

/// The file of one run of all peers.
pub(super) struct Book(File);

impl Book {
    /// An empty one. Only a run of all is a comparison: what a run of some measured is kept elsewhere, and no page
    /// is made of it.
    pub(super) fn open(is_all: bool) -> Result<Self> {
        let path = if is_all { path() } else { path().with_file_name("peers-some.jsonl") };
        path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        Ok(Self(File::create(path)?))
    }

    pub(super) fn write(&mut self, record: &Record) -> Result<()> {
        Ok(writeln!(self.0, "{}", serde_json::to_string(record)?)?)
    }
}

/// Where the last run of all is kept.
pub(crate) fn path() -> PathBuf {
    place::root().join("target/bench/peers.jsonl")
}

/// The last run of all, in the order in which it was measured.
pub(crate) fn parse(text: &str) -> Result<Vec<Record>> {
    text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}
