//! Threads that read beside the writer, each on a connection and a snapshot of its own.

use crate::counters::Tallies;
use crate::db::Db;
use crate::job::{Job, tally};
use crate::open;
use crate::queue::{Queue, Taken};
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::Arc;
use steadfast_core::{Clock, StoreError};

/// What a thread works with.
pub(crate) struct Reader {
    pub(crate) path: PathBuf,
    pub(crate) queue: Arc<Queue<Job>>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) tallies: Arc<Tallies>,
    pub(crate) count_steps: bool,
}

impl Reader {
    /// Works until the queue is closed and empty. The connection is opened with the first job, and again with
    /// the next one if that failed.
    pub(crate) fn run(self) {
        let mut connection = None;
        loop {
            let mut n = 0;
            let one = |_: &Job| {
                n += 1;
                n <= 1
            };
            match self.queue.take(None, one) {
                Taken::Jobs(jobs) => jobs.into_iter().for_each(|job| self.read(&mut connection, job)),
                Taken::Nothing => {}
                Taken::Closed => return,
            }
        }
    }

    fn read(&self, connection: &mut Option<Connection>, job: Job) {
        let opened = match connection.take() {
            Some(connection) => Ok(connection),
            None => open::reader(&self.path),
        };
        match opened {
            Ok(opened) => self.read_on(connection.insert(opened), job),
            Err(error) => job.refuse(error),
        }
    }

    fn read_on(&self, connection: &Connection, job: Job) {
        if let Err(error) = execute(connection, "begin") {
            return job.refuse(error);
        }
        let tally = tally(&self.tallies, job.call, self.count_steps);
        let ran = job.run(&Db::new(connection, tally, self.clock.now()));
        // Nothing was written: how the snapshot is left does not matter to the answer.
        if execute(connection, "commit").is_err() {
            let _ = execute(connection, "rollback");
        }
        ran.reply(None);
    }
}

fn execute(connection: &Connection, sql: &str) -> Result<(), StoreError> {
    let run = || -> Result<usize, rusqlite::Error> { connection.prepare_cached(sql)?.execute([]) };
    run().map(|_| ()).map_err(|error| crate::fault::Fault::from(error).sorted())
}
