//! The store: rows, workers, keys and receipts, and what each call does to them in one transaction.

use crate::fault::Fault;
use crate::law::{End, Law};
use crate::names::{Life, ProcessNo, TaskNo};
use crate::row::{Place, Token};
use steadfast_core::Status;
use steadfast_core::seam::Settled;

/// Everything that is committed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Store {
    /// Whether it answers.
    pub(crate) up: bool,
    pub(crate) places: [Place; TaskNo::N],
    seats: [Seat; ProcessNo::N],
    keys: [bool; TaskNo::N],
    receipts: [Option<Settlement>; 2],
}

/// The worker row of a process's last life. Earlier ones are dead, since only a dead worker registers anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Seat {
    nth: u8,
    dead: bool,
    /// Whether the lease may be found ended.
    lapsed: bool,
}

/// Who wrote a receipt: [`Settled`] with a hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Settlement {
    Committed,
    Never,
}

/// What became of a holder's write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ended {
    pub(crate) accepted: bool,
    pub(crate) effects: bool,
}

impl Store {
    /// With all tasks ready, or none added yet.
    pub(crate) fn new(law: &Law, adds: bool) -> Self {
        let place = |no| if adds { Place::Nowhere } else { Place::of(law.add(no)) };
        Self {
            up: true,
            places: TaskNo::ALL.map(place),
            seats: [Seat { nth: 0, dead: false, lapsed: false }; ProcessNo::N],
            keys: [!adds; TaskNo::N],
            receipts: [None; 2],
        }
    }

    /// Adds the task with a key. True if it is new.
    pub(crate) fn add_keyed(&mut self, law: &Law, no: TaskNo) -> bool {
        let named = match law.fault {
            Some(Fault::RepeatAfterDelete) => self.places[no.at()].row().is_some(),
            _ => self.keys[no.at()],
        };
        if !named {
            self.keys[no.at()] = true;
            self.places[no.at()] = Place::of(law.add(no));
        }
        !named
    }

    /// Adds a task in a batch with a receipt. True unless the receipt was used before.
    pub(crate) fn add_with_receipt(&mut self, law: &Law, no: TaskNo, batch: u8) -> bool {
        let receipt = &mut self.receipts[usize::from(batch)];
        let fresh = receipt.is_none();
        if fresh {
            *receipt = Some(Settlement::Committed);
            self.places[no.at()] = Place::of(law.add(no));
        }
        fresh
    }

    /// Finds out whether a batch was committed; if not, it never can be.
    pub(crate) fn settle(&mut self, batch: u8) -> Settled {
        match self.receipts[usize::from(batch)].get_or_insert(Settlement::Never) {
            Settlement::Committed => Settled::Committed,
            Settlement::Never => Settled::Never,
        }
    }

    /// Takes a task if it is ready. Whether the worker lives is not asked.
    pub(crate) fn grab(&mut self, law: &Law, no: TaskNo, by: Life) -> Option<Token> {
        let row = self.places[no.at()].row().filter(|row| row.status == Status::Ready)?;
        self.grant(law, no, by, row)
    }

    /// Takes a task from its holder if it is still the run that was seen; says whose it was.
    pub(crate) fn eject(&mut self, law: &Law, no: TaskNo, by: Life, seen: u8) -> Option<(Token, Token)> {
        let row = self.places[no.at()].row().filter(|row| law.may_eject(no, *row, seen))?;
        Some((row.token(no)?, self.grant(law, no, by, row)?))
    }

    fn grant(&mut self, law: &Law, no: TaskNo, by: Life, row: crate::row::Row) -> Option<Token> {
        let row = law.grant(no, row, by);
        self.places[no.at()] = Place::of(row);
        row.token(no)
    }

    /// A holder lets go of its task.
    pub(crate) fn end(&mut self, law: &Law, token: Token, end: End) -> Ended {
        let place = &mut self.places[token.task.at()];
        let row = place.row().filter(|row| law.holds(token, *row));
        if let Some(row) = row {
            *place = Place::of(law.changed(token.task, row, &law.end(token, end)));
        }
        let accepted = row.is_some();
        let regardless = law.fault == Some(Fault::EffectsWithoutFinish);
        Ended { accepted, effects: end == End::Done && (accepted || regardless) }
    }

    /// A person ends the run that they saw; says whose it was.
    pub(crate) fn cancel(&mut self, law: &Law, no: TaskNo, seen: u8) -> Option<Token> {
        let row = self.places[no.at()].row()?;
        let token = row.token(no);
        self.places[no.at()] = Place::of(law.cancel(no, row, seen).ok()?);
        token
    }

    /// Marks those whose lease ended; says who they were.
    pub(crate) fn mark(&mut self) -> Vec<Life> {
        let seats = ProcessNo::ALL.into_iter().zip(&mut self.seats);
        let ended = seats.filter(|(_, seat)| seat.lapsed && !seat.dead);
        ended
            .map(|(process, seat)| {
                seat.dead = true;
                process.life(seat.nth)
            })
            .collect()
    }

    /// Whether a sweep would find anybody to mark, or anything to move.
    pub(crate) fn has_work_for_sweep(&self, law: &Law) -> bool {
        let dying = self.seats.iter().any(|seat| seat.lapsed && !seat.dead);
        let strays = TaskNo::ALL.into_iter().any(|no| self.stray(no).is_some());
        dying || (strays && law.fault != Some(Fault::ReapByEvent))
    }

    /// What a sweep has to move: running, without a live holder.
    pub(crate) fn stray(&self, no: TaskNo) -> Option<Token> {
        let row = self.places[no.at()].row().filter(|row| row.status == Status::Running)?;
        row.token(no).filter(|token| !self.is_live(token.worker))
    }

    /// Whether a token is still good.
    pub(crate) fn is_held_by(&self, token: Token) -> bool {
        self.places[token.task.at()].row().and_then(|row| row.token(token.task)) == Some(token)
    }

    /// A sweep takes a task from a dead worker. The whole condition stands here again: another may have been faster.
    pub(crate) fn reap(&mut self, law: &Law, token: Token) -> bool {
        let row = self.stray(token.task).and(self.places[token.task.at()].row());
        let row = row.filter(|row| law.holds(token, *row));
        if let Some(row) = row {
            self.places[token.task.at()] = Place::of(law.changed(token.task, row, &law.reap(token)));
        }
        row.is_some()
    }

    /// A sign of life. False if the worker is dead or was never heard of.
    pub(crate) fn renew(&mut self, law: &Law, life: Life) -> bool {
        let revives = law.fault == Some(Fault::RenewAfterDead);
        let seat = &mut self.seats[life.process.at()];
        let renewed = seat.nth == life.nth && (revives || !seat.dead);
        if renewed {
            (seat.dead, seat.lapsed) = (false, false);
        }
        renewed
    }

    /// A worker starts.
    pub(crate) fn register(&mut self, life: Life) {
        self.seats[life.process.at()] = Seat { nth: life.nth, dead: false, lapsed: false };
    }

    /// Whether a worker has a row and was not declared dead.
    pub(crate) fn is_live(&self, life: Life) -> bool {
        let seat = self.seats[life.process.at()];
        seat.nth == life.nth && !seat.dead
    }

    /// Whether a worker's lease may be found ended.
    pub(crate) fn is_lapsed(&self, life: Life) -> bool {
        let seat = self.seats[life.process.at()];
        seat.nth == life.nth && seat.lapsed
    }

    /// A process is silent for longer than its lease.
    pub(crate) fn lapse(&mut self, process: ProcessNo) {
        self.seats[process.at()].lapsed = true;
    }

    /// Goes on as this older copy. Leases are a matter of time, which nobody turns back.
    pub(crate) fn fail_over(&mut self, replica: Self) {
        let lapsed = self.seats.map(|seat| seat.lapsed);
        *self = replica;
        for (seat, lapsed) in self.seats.iter_mut().zip(lapsed) {
            seat.lapsed = lapsed;
        }
    }
}
