//! Who ran, how often and when: what every shape asks at its end.

use crate::floor::Claimed;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

/// Counts the runs of numbered tasks from any thread.
pub(crate) struct Recorder {
    began: Instant,
    began_at: SystemTime,
    hits: AtomicU32,
    runs: Vec<AtomicU32>,
    /// When each started last, in nanoseconds since the beginning.
    started_ns: Vec<AtomicU64>,
}

impl Recorder {
    pub(crate) fn new(n: u32) -> Self {
        Self {
            began: Instant::now(),
            began_at: SystemTime::now(),
            hits: AtomicU32::new(0),
            runs: (0..n).map(|_| AtomicU32::new(0)).collect(),
            started_ns: (0..n).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// Time since the beginning.
    pub(crate) fn now(&self) -> Duration {
        self.began.elapsed()
    }

    /// A time of another process on this machine, since the beginning.
    pub(crate) fn since_began(&self, at: SystemTime) -> Duration {
        at.duration_since(self.began_at).unwrap_or_default()
    }

    /// A task runs.
    pub(crate) fn hit(&self, task: u32) {
        let at = task as usize;
        let now_ns = u64::try_from(self.now().as_nanos()).unwrap_or(u64::MAX);
        self.started_ns[at].store(now_ns, Ordering::Relaxed);
        self.runs[at].fetch_add(1, Ordering::Relaxed);
        self.hits.fetch_add(1, Ordering::Relaxed);
    }

    /// Claimed rows run.
    pub(crate) fn hit_all(&self, claimed: &[Claimed]) {
        for (_, number) in claimed {
            self.hit(*number);
        }
    }

    /// Runs of all tasks so far.
    pub(crate) fn hits(&self) -> u32 {
        self.hits.load(Ordering::Relaxed)
    }

    /// Each task as often as it ran.
    pub(crate) fn all(&self) -> Vec<u32> {
        let each = self.runs.iter().zip(0..);
        each.flat_map(|(runs, task)| (0..runs.load(Ordering::Relaxed)).map(move |_| task)).collect()
    }

    /// Whether a task has run.
    pub(crate) fn ran(&self, task: u32) -> bool {
        self.runs[task as usize].load(Ordering::Relaxed) > 0
    }

    /// Whether none of them ran twice.
    pub(crate) fn at_most_once(&self) -> bool {
        self.runs.iter().all(|runs| runs.load(Ordering::Relaxed) <= 1)
    }

    /// When a task started last.
    pub(crate) fn started(&self, task: u32) -> Duration {
        Duration::from_nanos(self.started_ns[task as usize].load(Ordering::Relaxed))
    }

    /// Whether all of them ran exactly once.
    pub(crate) fn once(&self) -> bool {
        self.runs.iter().all(|runs| runs.load(Ordering::Relaxed) == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn once_is_neither_never_nor_twice() {
        let recorder = Recorder::new(2);
        recorder.hit(0);
        assert!(!recorder.once() && recorder.ran(0) && !recorder.ran(1));
        recorder.hit(1);
        assert!(recorder.once());
        recorder.hit(1);
        assert!(!recorder.once() && !recorder.at_most_once() && recorder.hits() == 3);
        assert_eq!(recorder.all(), [0, 1, 1]);
        assert!(recorder.started(1) >= recorder.started(0) && recorder.started(1) <= recorder.now());
    }
}
