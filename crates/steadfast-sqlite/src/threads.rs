//! The threads of a store: one that writes from the start, a few that read from the first read on.

use crate::counters::{Call, Tallies};
use crate::db::Db;
use crate::fault::Fallible;
use crate::job::{self, Job};
use crate::options::Options;
use crate::queue::Queue;
use crate::reader::Reader;
use crate::watch::Watch;
use crate::writer::Writer;
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::thread::JoinHandle;
use steadfast_core::seam::{Answer, Ears};
use steadfast_core::{Places, StoreError, effects};

/// Threads that read.
const READERS: usize = 2;

/// The threads and the lines before them. Ends them when it is dropped, after they have worked all off.
pub(crate) struct Threads {
    path: PathBuf,
    options: Options,
    pub(crate) tallies: Arc<Tallies>,
    pub(crate) ears: Ears,
    /// The seqs of running tasks.
    pub(crate) places: Places<i64>,
    listening: Arc<AtomicBool>,
    writes: Arc<Queue<Job>>,
    reads: Arc<Queue<Job>>,
    readers: Once,
    handles: Mutex<Vec<JoinHandle<()>>>,
}

impl Threads {
    /// Starts the writer on its connection.
    pub(crate) fn start(path: PathBuf, options: Options, connection: Connection) -> Result<Self, StoreError> {
        let threads = Self {
            path,
            options,
            tallies: Arc::default(),
            ears: Ears::default(),
            places: Places::default(),
            listening: Arc::default(),
            writes: Arc::new(Queue::new()),
            reads: Arc::new(Queue::new()),
            readers: Once::new(),
            handles: Mutex::default(),
        };
        // Taken before anybody can listen: what is committed while the thread starts is not missed.
        let watch = Watch::new(&connection);
        let writer = Writer {
            connection,
            queue: threads.writes.clone(),
            clock: threads.options.clock.clone(),
            tallies: threads.tallies.clone(),
            count_steps: threads.options.count_steps,
            ears: threads.ears.clone(),
            listening: threads.listening.clone(),
        };
        threads.spawn("steadfast-write", move || writer.run(watch))?;
        Ok(threads)
    }

    /// Puts work in line that writes about so many rows.
    pub(crate) fn write<T: Send + 'static>(
        &self,
        call: Call,
        rows: usize,
        work: impl FnOnce(&Db<'_>) -> Fallible<T> + Send + 'static,
    ) -> Answer<'static, T> {
        // This thread is the one that would have to do it.
        if let Err(refusal) = effects::refuse_inside() {
            return Box::pin(std::future::ready(Err(refusal.into())));
        }
        job::send(&self.writes, call, rows, work)
    }

    /// Puts work in line that only reads.
    pub(crate) fn read<T: Send + 'static>(
        &self,
        call: Call,
        work: impl FnOnce(&Db<'_>) -> Fallible<T> + Send + 'static,
    ) -> Answer<'static, T> {
        self.readers.call_once(|| self.start_readers());
        job::send(&self.reads, call, 0, work)
    }

    /// From now on somebody wants to hear of what others commit.
    pub(crate) fn watch(&self) {
        self.listening.store(true, Ordering::Release);
        self.writes.nudge();
    }

    fn start_readers(&self) {
        for _ in 0..READERS {
            let reader = Reader {
                path: self.path.clone(),
                queue: self.reads.clone(),
                clock: self.options.clock.clone(),
                tallies: self.tallies.clone(),
                count_steps: self.options.count_steps,
            };
            if let Err(error) = self.spawn("steadfast-read", move || reader.run()) {
                // One is enough; with none, those who ask hear that the store is closed.
                tracing::error!(%error, "no thread to read with");
                if self.handles().len() < 2 {
                    self.reads.close();
                }
            }
        }
    }

    fn spawn(&self, name: &str, run: impl FnOnce() + Send + 'static) -> Result<(), StoreError> {
        let handle = std::thread::Builder::new().name(name.into()).spawn(run);
        let handle =
            handle.map_err(|fault| StoreError::Down(format!("no thread could be started: {fault}")))?;
        self.handles().push(handle);
        Ok(())
    }

    fn handles(&self) -> std::sync::MutexGuard<'_, Vec<JoinHandle<()>>> {
        self.handles.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.writes.close();
        self.reads.close();
        let handles = std::mem::take(&mut *self.handles());
        // The last handle may be dropped by an ear that the writer calls: no thread can wait for itself.
        let me = std::thread::current().id();
        for handle in handles.into_iter().filter(|handle| handle.thread().id() != me) {
            // A thread that panicked has said so.
            let _ = handle.join();
        }
    }
}
