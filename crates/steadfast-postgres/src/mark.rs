//! How far grabs and dues have come.
//!
//! A row that leaves the head of a line leaves its entry in the index behind, until the server vacuums: after a minute, or
//! never while some old transaction is open. Whoever begins at the head walks over all of them, so each task would cost
//! more the more went before it. A store therefore begins where it got to the last time.
//!
//! What others put back into its old place, and what is committed very late, lies before the mark. So a mark is good for a
//! moment only, a grab that finds too little behind it begins at the head again, and what this store itself puts back
//! makes it forget all marks.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use steadfast_core::{Bucket, Demand, Kind, Lane, Priority, Task};

/// After this, whoever comes next begins at the head. If nobody comes, a sweep does.
const GOOD_FOR: Duration = Duration::from_millis(250);
/// Microseconds: nobody takes as long to commit what he wrote the time into. If somebody does, see [`GOOD_FOR`].
const SETTLED: i64 = 100_000;
/// Most lines whose marks are remembered. Beyond it all are forgotten.
const MARKS_MAX: usize = 1000;

/// A place in a line of tasks: all before it have gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mark {
    /// When those at this place became ready, or due.
    pub(crate) at: i64,
    pub(crate) seq: i64,
}

/// What store and server agree to walk along.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Line {
    /// Tasks that wait for their time.
    Due,
    /// Tasks of a kind that are ready.
    Ready(Bucket, Kind, Priority, Lane),
}

/// The marks of one store.
#[derive(Debug, Default)]
pub(crate) struct Marks(Mutex<HashMap<Line, Reached>>);

#[derive(Debug)]
struct Reached {
    mark: Mark,
    /// When somebody last began at the head.
    headed_at: Instant,
}

impl Mark {
    /// Before all.
    pub(crate) const HEAD: Self = Self { at: i64::MIN, seq: i64::MIN };

    /// That of a task that was ready.
    pub(crate) fn of(task: &Task) -> Self {
        Self { at: task.ready_at.micros(), seq: task.seq }
    }

    /// The last one that was taken, or one before it that nobody will still commit before.
    fn settled(last: Self, now: i64) -> Self {
        last.min(Self { at: now.saturating_sub(SETTLED), seq: i64::MIN })
    }
}

impl Line {
    pub(crate) fn of(bucket: &Bucket, demand: &Demand) -> Self {
        Self::Ready(bucket.clone(), demand.kind.clone(), demand.priority, demand.lane)
    }
}

impl Marks {
    /// Where to begin.
    pub(crate) fn begin(&self, line: &Line) -> Mark {
        self.begin_at(line, Instant::now())
    }

    fn begin_at(&self, line: &Line, now: Instant) -> Mark {
        let marks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let good = |reached: &&Reached| now.duration_since(reached.headed_at) < GOOD_FOR;
        marks.get(line).filter(good).map_or(Mark::HEAD, |reached| reached.mark)
    }

    /// Whoever began there has taken all up to the last one, by the store's clock at that time.
    pub(crate) fn reach(&self, line: Line, began: Mark, last: Mark, now: i64) {
        let mark = Mark::settled(last, now);
        let mut marks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if began != Mark::HEAD {
            // One that was forgotten meanwhile stays so.
            if let Some(reached) = marks.get_mut(&line) {
                reached.mark = reached.mark.max(mark);
            }
            return;
        }
        if marks.len() >= MARKS_MAX {
            marks.clear();
        }
        marks.insert(line, Reached { mark, headed_at: Instant::now() });
    }

    /// There was too little behind it.
    pub(crate) fn forget(&self, line: &Line) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(line);
    }

    /// Something was put back into its old place.
    pub(crate) fn forget_all(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_000_000;

    fn at(at: i64, seq: i64) -> Mark {
        Mark { at, seq }
    }

    #[test]
    fn the_next_begins_where_the_last_one_got_to() {
        let marks = Marks::default();
        assert_eq!(marks.begin(&Line::Due), Mark::HEAD);
        marks.reach(Line::Due, Mark::HEAD, at(5, 7), NOW);
        assert_eq!(marks.begin(&Line::Due), at(5, 7));
        marks.reach(Line::Due, at(5, 7), at(5, 9), NOW);
        marks.reach(Line::Due, at(5, 7), at(5, 8), NOW);
        assert_eq!(marks.begin(&Line::Due), at(5, 9), "whoever is late sets nobody back");
    }

    #[test]
    fn what_is_young_may_still_be_committed_before_it() {
        let marks = Marks::default();
        marks.reach(Line::Due, Mark::HEAD, at(NOW, 7), NOW);
        assert_eq!(marks.begin(&Line::Due), at(NOW - SETTLED, i64::MIN));
    }

    #[test]
    fn a_mark_is_good_for_a_moment_since_somebody_began_at_the_head() {
        let marks = Marks::default();
        marks.reach(Line::Due, Mark::HEAD, at(5, 7), NOW);
        let headed = Instant::now();
        marks.reach(Line::Due, at(5, 7), at(5, 8), NOW);
        assert_eq!(marks.begin_at(&Line::Due, headed + GOOD_FOR), Mark::HEAD);
    }

    #[test]
    fn what_was_forgotten_is_not_brought_back_by_whoever_was_on_the_way() {
        let marks = Marks::default();
        marks.reach(Line::Due, Mark::HEAD, at(5, 7), NOW);
        marks.forget_all();
        marks.reach(Line::Due, at(5, 7), at(5, 8), NOW);
        assert_eq!(marks.begin(&Line::Due), Mark::HEAD);
        marks.reach(Line::Due, Mark::HEAD, at(5, 9), NOW);
        marks.forget(&Line::Due);
        assert_eq!(marks.begin(&Line::Due), Mark::HEAD);
    }

    #[test]
    fn lines_without_end_are_forgotten() {
        let marks = Marks::default();
        for n in 0..=MARKS_MAX {
            let (bucket, kind) = (Bucket::default(), Kind::new(format!("mail|{n}")).unwrap());
            let line = Line::Ready(bucket, kind, Priority::default(), Lane::Plain);
            marks.reach(line, Mark::HEAD, at(5, 7), NOW);
        }
        assert_eq!(marks.0.lock().unwrap().len(), 1);
    }
}
