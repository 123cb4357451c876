//! Who ran, how often, and how long each had waited.

use crate::{Job, now_us};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

pub struct Recorder {
    hits: AtomicU32,
    runs: Vec<AtomicU32>,
    waited_us: Vec<AtomicU64>,
}

impl Recorder {
    pub(crate) fn new(tasks: u32) -> Self {
        Self {
            hits: AtomicU32::new(0),
            runs: (0..tasks).map(|_| AtomicU32::new(0)).collect(),
            waited_us: (0..tasks).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// A task runs.
    pub fn hit(&self, job: Job) {
        let at = job.number as usize;
        self.waited_us[at].store(now_us().saturating_sub(job.called_us), Ordering::Relaxed);
        self.runs[at].fetch_add(1, Ordering::Relaxed);
        self.hits.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn hits(&self) -> u32 {
        self.hits.load(Ordering::Relaxed)
    }

    pub(crate) fn missing(&self) -> usize {
        self.runs.iter().filter(|runs| runs.load(Ordering::Relaxed) == 0).count()
    }

    pub(crate) fn doubled(&self) -> usize {
        self.runs.iter().filter(|runs| runs.load(Ordering::Relaxed) > 1).count()
    }

    /// What so many hundredths of the waits stay under, by nearest rank.
    pub(crate) fn waited_us(&self, percent: usize) -> u64 {
        let mut waited: Vec<u64> = self.waited_us.iter().map(|us| us.load(Ordering::Relaxed)).collect();
        waited.sort_unstable();
        let rank = (waited.len() * percent).div_ceil(100).max(1);
        waited.get(rank - 1).copied().unwrap_or_default()
    }
}
