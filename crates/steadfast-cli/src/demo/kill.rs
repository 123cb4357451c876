//! The killing: when a worker is killed, when its tasks have been taken over, when it is started again. It decides;
//! the loop acts.

use super::children;
use super::news::Seat;
use super::snapshot::Snapshot;
use super::story::{SLOWBANK, STANDARD};
use std::time::{Duration, Instant, SystemTime};
use steadfast::{Status, Time, WorkerId};

/// Who is killed.
const VICTIM: Seat = 1;

/// How far the killing has come.
#[derive(Debug, Default)]
pub(super) struct Kill {
    /// Payouts of the slow partner that must be done first.
    after: u64,
    phase: Phase,
    death: Option<Death>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Phase {
    #[default]
    Before,
    Killed,
    Restarted,
    Over,
}

/// A worker's end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Death {
    worker: WorkerId,
    since: Instant,
    /// By the wall clock, which is the store's here.
    pub(super) at: Time,
    /// When nothing was its own any more.
    pub(super) over: Option<Time>,
    /// What it held when it died.
    pub(super) held: u64,
}

/// What the loop has to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deed {
    Kill(Seat),
    /// Its tasks were taken over, so long after its death.
    Restart(Seat, Duration),
}

impl Kill {
    /// Kills when a third of the slow partner's payouts is done.
    pub(super) fn new(slow: u32) -> Self {
        Self { after: u64::from(slow) / 3, ..Self::default() }
    }

    pub(super) fn death(&self) -> Option<&Death> {
        self.death.as_ref()
    }

    /// Who lies dead now.
    pub(super) fn dead(&self) -> Option<Seat> {
        (self.phase == Phase::Killed).then_some(VICTIM)
    }

    pub(super) fn is_over(&self) -> bool {
        self.phase == Phase::Over
    }

    /// What is to be done, by what the store says.
    pub(super) fn next(&mut self, seen: &Snapshot) -> Option<Deed> {
        match self.phase {
            Phase::Before if self.is_time(seen) => Some(Deed::Kill(VICTIM)),
            Phase::Killed => self.taken_over(seen).map(|after| Deed::Restart(VICTIM, after)),
            Phase::Before | Phase::Restarted | Phase::Over => None,
        }
    }

    /// The victim is dead.
    pub(super) fn killed(&mut self, seen: &Snapshot) {
        let Some(row) = seen.worker(&children::name(VICTIM)) else { return };
        let at = Time::from_system("now", SystemTime::now()).unwrap_or(seen.now);
        self.death = Some(Death { worker: row.worker, since: Instant::now(), at, over: None, held: 0 });
        self.phase = Phase::Killed;
    }

    /// It is being started again.
    pub(super) fn restarted(&mut self) {
        self.phase = Phase::Restarted;
    }

    /// It works again.
    pub(super) fn up(&mut self, seat: Seat) {
        if self.phase == Phase::Restarted && seat == VICTIM {
            self.phase = Phase::Over;
        }
    }

    /// All are at work, and the victim is in the middle of something.
    fn is_time(&self, seen: &Snapshot) -> bool {
        let row = |seat| seen.worker(&children::name(seat)).filter(|row| !row.dead);
        let all = (0..children::SEATS).all(|seat| row(seat).is_some());
        let amid = |row| seen.held(row).filter(|task| task.kind.as_str() == STANDARD).count() > 1;
        all && row(VICTIM).is_some_and(amid) && seen.count(SLOWBANK, Status::Done) >= self.after
    }

    /// How long ago it died, if nothing is the victim's any more.
    fn taken_over(&mut self, seen: &Snapshot) -> Option<Duration> {
        let death = self.death.as_mut().filter(|death| seen.begun > death.since)?;
        let held = seen.running.iter().filter(|task| task.worker == Some(death.worker)).count() as u64;
        death.held = death.held.max(held);
        death.over = (held == 0).then_some(seen.now);
        (held == 0).then(|| death.since.elapsed())
    }
}
