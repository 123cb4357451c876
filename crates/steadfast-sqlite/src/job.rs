//! A piece of work on its way to a thread, and its answer on the way back.

use crate::counters::{Call, Tallies, Tally};
use crate::db::Db;
use crate::fault::Fallible;
use crate::queue::{Full, QUEUE_JOBS_MAX, Queue};
use std::panic::{AssertUnwindSafe, catch_unwind};
use steadfast_core::StoreError;
use steadfast_core::seam::Answer;
use tokio::sync::oneshot;

/// Work to be done inside a transaction.
pub(crate) struct Job {
    /// Whose work it is, for the counters.
    pub(crate) call: Call,
    /// About how many rows it writes, for the bound of a commit.
    pub(crate) rows: usize,
    run: Box<Run>,
}

/// Work that is done. Its answer waits for the commit.
pub(crate) struct Ran {
    /// Whether its writes must not be kept.
    pub(crate) failed: bool,
    reply: Box<Reply>,
}

/// What a job does with a transaction, or hears when there is none.
type Run = dyn FnOnce(Result<&Db<'_>, StoreError>) -> Ran + Send;
/// What is done after the commit, or when there was none.
type Reply = dyn FnOnce(Option<&StoreError>) + Send;

impl Job {
    /// Does the work. A panic ends the job and not the thread.
    pub(crate) fn run(self, db: &Db<'_>) -> Ran {
        (self.run)(Ok(db))
    }

    /// Answers without doing the work.
    pub(crate) fn refuse(self, error: StoreError) {
        (self.run)(Err(error)).reply(None);
    }
}

impl Ran {
    /// Sends the answer, or why nothing was committed.
    pub(crate) fn reply(self, lost: Option<&StoreError>) {
        (self.reply)(lost);
    }
}

/// Puts work in line at once and gives its answer when it is committed.
pub(crate) fn send<T: Send + 'static>(
    queue: &Queue<Job>,
    call: Call,
    rows: usize,
    work: impl FnOnce(&Db<'_>) -> Fallible<T> + Send + 'static,
) -> Answer<'static, T> {
    let (sender, receiver) = oneshot::channel();
    let run = move |db: Result<&Db<'_>, StoreError>| {
        let result = db.and_then(|db| guarded(|| work(db)));
        let failed = result.is_err();
        let reply = move |lost: Option<&StoreError>| {
            let answer = match lost {
                Some(error) if result.is_ok() => Err(error.clone()),
                _ => result,
            };
            // Nobody may be waiting any more: the work was done all the same.
            let _ = sender.send(answer);
        };
        Ran { failed, reply: Box::new(reply) }
    };
    let urgent = matches!(call, Call::Register | Call::Renew | Call::Retire);
    let put = queue.push(Job { call, rows, run: Box::new(run) }, urgent);
    Box::pin(async move {
        match put {
            Ok(()) => receiver.await.unwrap_or_else(|_| Err(closed())),
            Err(Full::Closed) => Err(closed()),
            Err(Full::Full) => {
                Err(StoreError::Busy(format!("{QUEUE_JOBS_MAX} calls wait already; wait for answers")))
            }
        }
    })
}

/// Counts a call; says what its statements are counted into, if they are.
pub(crate) fn tally(tallies: &Tallies, call: Call, steps: bool) -> Option<&Tally> {
    let tally = tallies.of(call);
    tally.called();
    steps.then_some(tally)
}

fn guarded<T>(work: impl FnOnce() -> Fallible<T>) -> Result<T, StoreError> {
    // The work's writes are rolled back when it fails, so that nothing half done is seen after a panic.
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result.map_err(crate::fault::Fault::sorted),
        Err(panic) => Err(StoreError::Bug(format!("a job panicked: {}", text(panic.as_ref())))),
    }
}

fn text(panic: &(dyn std::any::Any + Send)) -> &str {
    let owned = || panic.downcast_ref::<String>().map(String::as_str);
    panic.downcast_ref::<&str>().copied().or_else(owned).unwrap_or("no text")
}

fn closed() -> StoreError {
    StoreError::Down("the store is closed".into())
}
