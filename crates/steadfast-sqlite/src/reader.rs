//! Threads that read beside the writer, each on a connection and a snapshot of its own.

use crate::counters::Tallies;
use crate::db::Db;
use crate::fault::Fallible;
use crate::job::{Job, tally};
use crate::open::{self, patiently};
use crate::queue::{Queue, Taken};
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::Arc;
use steadfast_core::Clock;

const SNAPSHOT: &str = include_str!("../sql/setup/schema_version.sql");

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
        // The snapshot is taken here and not with the job's first statement: only here it can be tried again.
        if let Err(fault) = patiently(|| begin(connection)) {
            return job.refuse(fault.sorted());
        }
        let tally = tally(&self.tallies, job.call, self.count_steps);
        let ran = job.run(&Db::new(connection, tally, self.clock.now()));
        // Nothing was written: how the snapshot is left does not matter to the answer.
        end(connection);
        ran.reply(None);
    }
}

fn begin(connection: &Connection) -> Fallible<()> {
    connection.prepare_cached("begin")?.execute([])?;
    let taken = connection.prepare_cached(SNAPSHOT).and_then(|mut read| read.query_row([], |_| Ok(())));
    if taken.is_err() {
        end(connection);
    }
    Ok(taken?)
}

fn end(connection: &Connection) {
    let run = |sql: &str| connection.prepare_cached(sql).and_then(|mut statement| statement.execute([]));
    if run("commit").is_err() {
        let _ = run("rollback");
    }
}
