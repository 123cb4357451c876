//! What sweeps need not ask, since the watch has just asked it.
//!
//! A worker at rest sweeps once a second for what no hint told of: eight questions, and the answer to each is nothing.
//! The watch reads the ends of the same indexes several times a second anyway. While its last look is fresh and this
//! process has written nothing since, a sweep believes it. What others did in that moment it hears a moment later.

use crate::cells::Cells;
use crate::fault::Fallible;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use steadfast_core::Time;
use steadfast_core::seam::KindRow;

/// How long a look stays fresh: a little longer than the watch rests at most.
const FRESH: Duration = Duration::from_millis(300);

/// What the watch saw last, for all who share the store.
#[derive(Debug, Clone, Default)]
pub(crate) struct Quiet(Arc<Memory>);

#[derive(Debug, Default)]
struct Memory {
    /// Rises with everything that this process writes.
    writes: AtomicU64,
    sight: Mutex<Option<Sight>>,
    /// The policies of all kinds, by the mark at which they were read.
    kinds: Mutex<Option<(i64, Vec<KindRow>)>>,
}

/// How things stood at one moment.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each answers a question of its own")]
pub(crate) struct Sight {
    /// The moment by our own clock, and what had been written here by then.
    seen_at: Instant,
    writes: u64,
    now: Time,
    due_at: Option<Time>,
    lease_until: Option<Time>,
    /// The highest mark of a kind.
    mark: Option<i64>,
    /// Whether anything is ready.
    pub(crate) ready: bool,
    /// Whether any serial task stands in line.
    pub(crate) held: bool,
    /// Whether anybody holds anything.
    pub(crate) holds: bool,
    /// Whether any bucket is paused.
    pub(crate) paused: bool,
}

impl Quiet {
    /// This process has written, or may have.
    pub(crate) fn wrote(&self) {
        self.0.writes.fetch_add(1, Ordering::SeqCst);
    }

    /// What was written until now; to be asked before a look.
    pub(crate) fn written(&self) -> u64 {
        self.0.writes.load(Ordering::SeqCst)
    }

    /// The watch has looked.
    pub(crate) fn saw(&self, sight: Sight) {
        *self.0.sight.lock().unwrap_or_else(PoisonError::into_inner) = Some(sight);
    }

    /// How things stand, if that is known without asking.
    pub(crate) fn sight(&self) -> Option<Sight> {
        let sight = self.0.sight.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        (sight.writes == self.written() && sight.seen_at.elapsed() < FRESH).then_some(sight)
    }

    /// The policies of all kinds, if none has changed since they were read.
    pub(crate) fn kinds(&self) -> Option<Vec<KindRow>> {
        let mark = self.sight()?.mark?;
        let kinds = self.0.kinds.lock().unwrap_or_else(PoisonError::into_inner);
        kinds.as_ref().filter(|(read_at, _)| *read_at == mark).map(|(_, rows)| rows.clone())
    }

    /// The policies of all kinds were read.
    pub(crate) fn read_kinds(&self, mark: i64, rows: &[KindRow]) {
        *self.0.kinds.lock().unwrap_or_else(PoisonError::into_inner) = Some((mark, rows.to_vec()));
    }
}

impl Sight {
    /// From the first row of a probe.
    pub(crate) fn read(row: &Cells, ready: bool, writes: u64, seen_at: Instant) -> Fallible<Self> {
        Ok(Self {
            seen_at,
            writes,
            now: row.time(1)?,
            held: row.flag(3)?,
            holds: row.flag(4)?,
            paused: row.flag(5)?,
            due_at: row.int_or_none(6)?.map(Time::from_micros),
            lease_until: row.int_or_none(7)?.map(Time::from_micros),
            mark: row.int_or_none(8)?,
            ready,
        })
    }

    /// How long until the next waiting task is due.
    pub(crate) fn due_in(&self) -> Option<Duration> {
        self.due_at.map(|due_at| due_at.since(self.now()))
    }

    /// Whether all leases hold.
    pub(crate) fn all_live(&self) -> bool {
        self.lease_until.is_none_or(|until| until >= self.now())
    }

    fn now(&self) -> Time {
        self.now.after(self.seen_at.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sight(quiet: &Quiet, seen_at: Instant) -> Sight {
        Sight {
            seen_at,
            writes: quiet.written(),
            now: Time::from_micros(1_000_000),
            due_at: Some(Time::from_micros(61_000_000)),
            lease_until: None,
            mark: None,
            ready: false,
            held: false,
            holds: false,
            paused: false,
        }
    }

    #[test]
    fn a_look_is_believed_until_this_process_writes() {
        let quiet = Quiet::default();
        assert!(quiet.sight().is_none());
        quiet.saw(sight(&quiet, Instant::now()));
        assert!(quiet.sight().is_some());
        quiet.wrote();
        assert!(quiet.sight().is_none());
    }

    #[test]
    fn a_look_is_believed_only_while_it_is_fresh() {
        let quiet = Quiet::default();
        let Some(long_ago) = Instant::now().checked_sub(FRESH) else { return };
        quiet.saw(sight(&quiet, long_ago));
        assert!(quiet.sight().is_none());
    }

    #[test]
    fn what_is_due_comes_nearer_while_a_look_grows_old() {
        let quiet = Quiet::default();
        let due_in = sight(&quiet, Instant::now()).due_in();
        assert!(due_in.is_some_and(|wait| wait <= Duration::from_secs(60)), "{due_in:?}");
    }
}
