//! How much work each call makes for SQLite: a measure that a busy machine does not blur.

use std::sync::atomic::{AtomicU64, Ordering};

/// The calls of the store that reach the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
#[repr(usize)]
pub enum Call {
    /// [`Store::add`](steadfast_core::Store::add).
    Add,
    /// [`Store::look`](steadfast_core::Store::look) and [`Store::look_behind`](steadfast_core::Store::look_behind).
    Look,
    /// [`Store::grab`](steadfast_core::Store::grab).
    Grab,
    /// [`Store::payload`](steadfast_core::Store::payload).
    Payload,
    /// [`Store::finish`](steadfast_core::Store::finish).
    Finish,
    /// [`Store::commit`](steadfast_core::Store::commit).
    Commit,
    /// [`Store::save`](steadfast_core::Store::save).
    Save,
    /// [`Store::act`](steadfast_core::Store::act).
    Act,
    /// [`Store::eject`](steadfast_core::Store::eject).
    Eject,
    /// [`Store::register`](steadfast_core::Store::register).
    Register,
    /// [`Store::renew`](steadfast_core::Store::renew).
    Renew,
    /// [`Store::retire`](steadfast_core::Store::retire).
    Retire,
    /// [`Store::held`](steadfast_core::Store::held).
    Held,
    /// [`Store::strays`](steadfast_core::Store::strays).
    Strays,
    /// [`Store::due`](steadfast_core::Store::due).
    Due,
    /// [`Store::release`](steadfast_core::Store::release).
    Release,
    /// [`Store::settle`](steadfast_core::Store::settle).
    Settle,
    /// [`Store::get`](steadfast_core::Store::get).
    Get,
    /// [`Store::look_up`](steadfast_core::Store::look_up).
    LookUp,
    /// [`Store::find`](steadfast_core::Store::find).
    Find,
    /// [`Store::count`](steadfast_core::Store::count).
    Count,
    /// [`Store::clean`](steadfast_core::Store::clean).
    Clean,
    /// [`Store::declare`](steadfast_core::Store::declare).
    Declare,
    /// [`Store::kinds`](steadfast_core::Store::kinds).
    Kinds,
    /// [`Store::workers`](steadfast_core::Store::workers).
    Workers,
    /// [`Store::pause_bucket`](steadfast_core::Store::pause_bucket) and
    /// [`Store::paused_buckets`](steadfast_core::Store::paused_buckets).
    Buckets,
    /// [`Store::now`](steadfast_core::Store::now) and [`Store::check`](steadfast_core::Store::check).
    Check,
}

impl Call {
    /// All of them.
    pub const ALL: [Self; 27] = [
        Self::Add,
        Self::Look,
        Self::Grab,
        Self::Payload,
        Self::Finish,
        Self::Commit,
        Self::Save,
        Self::Act,
        Self::Eject,
        Self::Register,
        Self::Renew,
        Self::Retire,
        Self::Held,
        Self::Strays,
        Self::Due,
        Self::Release,
        Self::Settle,
        Self::Get,
        Self::LookUp,
        Self::Find,
        Self::Count,
        Self::Clean,
        Self::Declare,
        Self::Kinds,
        Self::Workers,
        Self::Buckets,
        Self::Check,
    ];
}

/// What one sort of call has cost since the store was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cost {
    /// How often it was called.
    pub calls: u64,
    /// Statements it ran; counted only with [`Options::count_steps`](crate::Options::count_steps).
    pub statements: u64,
    /// Steps of SQLite's machine it took; counted only with the same option.
    pub steps: u64,
}

/// What all calls of a store have cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counters {
    /// Transactions that the writer committed.
    pub commits: u64,
    costs: [Cost; Call::ALL.len()],
}

impl Counters {
    /// What one sort of call has cost.
    pub fn of(&self, call: Call) -> Cost {
        self.costs[call as usize]
    }
}

/// The counters while they are counted.
#[derive(Debug, Default)]
pub(crate) struct Tallies {
    commits: AtomicU64,
    tallies: [Tally; Call::ALL.len()],
}

#[derive(Debug, Default)]
pub(crate) struct Tally {
    calls: AtomicU64,
    statements: AtomicU64,
    steps: AtomicU64,
}

impl Tallies {
    pub(crate) fn of(&self, call: Call) -> &Tally {
        &self.tallies[call as usize]
    }

    pub(crate) fn committed(&self) {
        self.commits.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn read(&self) -> Counters {
        let mut costs = [Cost::default(); Call::ALL.len()];
        for (cost, tally) in costs.iter_mut().zip(&self.tallies) {
            *cost = tally.read();
        }
        Counters { commits: self.commits.load(Ordering::Relaxed), costs }
    }
}

impl Tally {
    pub(crate) fn called(&self) {
        self.calls.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn ran(&self, statements: i32, steps: i32) {
        self.statements.fetch_add(u64::from(statements.unsigned_abs()), Ordering::Relaxed);
        self.steps.fetch_add(u64::from(steps.unsigned_abs()), Ordering::Relaxed);
    }

    fn read(&self) -> Cost {
        Cost {
            calls: self.calls.load(Ordering::Relaxed),
            statements: self.statements.load(Ordering::Relaxed),
            steps: self.steps.load(Ordering::Relaxed),
        }
    }
}
