//! The thread that owns the one connection that writes.
//!
//! It commits whatever has gathered while the last commit ran: one transaction, one sync of the disk, each job
//! with a fate of its own. While nothing gathers it watches for what others commit.

use crate::counters::{Call, Tallies};
use crate::db::Db;
use crate::fault::Fault;
use crate::job::{Job, Ran, tally};
use crate::open::patiently;
use crate::queue::{Queue, Taken};
use crate::watch::Watch;
use rusqlite::Connection;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use steadfast_core::seam::{Ears, Hint};
use steadfast_core::{Clock, StoreError};

/// Most jobs in one commit.
const COMMIT_JOBS_MAX: usize = 512;
/// Most rows in one commit, so that no sign of life waits long behind it.
pub(crate) const COMMIT_ROWS_MAX: usize = 20_000;
/// How long other programs are let in between two commits.
const COURTESY: Duration = Duration::from_micros(500);

/// What the thread works with.
pub(crate) struct Writer {
    pub(crate) connection: Connection,
    pub(crate) queue: Arc<Queue<Job>>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) tallies: Arc<Tallies>,
    pub(crate) count_steps: bool,
    pub(crate) ears: Ears,
    /// Whether anybody wants to hear of what others commit.
    pub(crate) listening: Arc<AtomicBool>,
}

impl Writer {
    /// Works until the queue is closed and empty.
    pub(crate) fn run(self, mut watch: Watch) {
        loop {
            let wait = self.listening.load(Ordering::Acquire).then(|| watch.wait());
            match self.take(wait) {
                Taken::Jobs(mut jobs) => {
                    watch.stir();
                    if watch.has_company() {
                        std::thread::sleep(COURTESY);
                    }
                    // Effects that have to be interrupted in the middle of a write take the whole transaction with them:
                    // whoever ran before them would have to try again.
                    jobs.make_contiguous().sort_by_key(|job| job.call != Call::Commit);
                    while !jobs.is_empty() {
                        self.commit(&mut jobs);
                    }
                }
                Taken::Nothing => {}
                Taken::Closed => return,
            }
            if watch.look(&self.connection) {
                self.ears.ring(&Hint::LookAll);
            }
        }
    }

    fn take(&self, wait: Option<Duration>) -> Taken<Job> {
        let (mut jobs, mut rows) = (0, 0);
        self.queue.take(wait, |job| {
            jobs += 1;
            rows += job.rows;
            jobs <= COMMIT_JOBS_MAX && rows <= COMMIT_ROWS_MAX
        })
    }

    /// Runs jobs in one transaction, commits and answers. Jobs that are left over go into another one.
    fn commit(&self, jobs: &mut VecDeque<Job>) {
        if let Err(fault) = patiently(|| self.execute("begin immediate")) {
            let error = fault.sorted();
            jobs.drain(..).for_each(|job| job.refuse(error.clone()));
            return;
        }
        let mut ran = Vec::with_capacity(jobs.len());
        let alone = jobs.len() == 1;
        while let Some(job) = jobs.pop_front() {
            ran.push(if alone { self.run_alone(job) } else { self.run_among(job) });
            if self.connection.is_autocommit() {
                // A full disk, a failed one, or interrupted effects: SQLite has rolled back all of it.
                return reply(ran, Some(&rolled_back()));
            }
        }
        match self.execute("commit") {
            Ok(()) => {
                self.tallies.committed();
                reply(ran, None);
            }
            Err(fault) => {
                let error = fault.sorted();
                tracing::warn!(%error, jobs = ran.len(), "commit failed");
                self.roll_back();
                reply(ran, Some(&error));
            }
        }
    }

    /// The transaction is the job's own: when it fails, all is rolled back.
    fn run_alone(&self, job: Job) -> Ran {
        let ran = self.run_job(job);
        if ran.failed {
            self.roll_back();
        }
        ran
    }

    /// A job that fails takes back its own writes and no others.
    fn run_among(&self, job: Job) -> Ran {
        if self.execute("savepoint steadfast_job").is_err() {
            self.roll_back();
        }
        let ran = self.run_job(job);
        let undone = !ran.failed || self.execute("rollback to steadfast_job").is_ok();
        if !undone || self.execute("release steadfast_job").is_err() {
            self.roll_back();
        }
        ran
    }

    fn run_job(&self, job: Job) -> Ran {
        let tally = tally(&self.tallies, job.call, self.count_steps);
        job.run(&Db::new(&self.connection, tally, self.clock.now()))
    }

    /// Leaves the transaction, if SQLite has not done so by itself.
    fn roll_back(&self) {
        if !self.connection.is_autocommit()
            && let Err(fault) = self.execute("rollback")
        {
            tracing::error!(error = %fault.sorted(), "rollback failed");
        }
    }

    fn execute(&self, sql: &str) -> Result<(), Fault> {
        self.connection.prepare_cached(sql)?.execute([])?;
        Ok(())
    }
}

fn reply(ran: Vec<Ran>, lost: Option<&StoreError>) {
    for ran in ran {
        ran.reply(lost);
    }
}

fn rolled_back() -> StoreError {
    let why = "the disk is full or failed, or effects of another run took too long";
    StoreError::Down(format!("the transaction was rolled back: {why}"))
}
