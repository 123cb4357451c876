//! Who watches over the store's connections.
//!
//! A call reads and writes its socket itself, wherever it runs; only the word that a socket is ready comes from the
//! runtime in which it was opened. That is one of the store's own, on a thread that never runs a handler: what a lease
//! or a hint needs gets through however busy the caller's runtime is, and also where that runtime has no sockets at
//! all, as the engine's for leases. It ends when the store is dropped.

use crate::connection::Connection;
use crate::fault::Fallible;
use mysql_async::{Conn, Opts};
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use steadfast_core::StoreError;
use tokio::runtime::Handle;
use tokio::time::{Timeout, timeout};
use tokio_util::sync::CancellationToken;

/// Longest wait for a connection.
const CONNECT_MAX: Duration = Duration::from_secs(10);
/// How long connections may take to say good-bye.
const PARTING: Duration = Duration::from_secs(1);

/// Owns the thread and waits for its end.
#[derive(Debug)]
pub(crate) struct Driver {
    over: CancellationToken,
    thread: Option<std::thread::JoinHandle<()>>,
}

/// Runs futures on the thread. Clones are the same.
#[derive(Debug, Clone)]
pub(crate) struct Drive {
    runtime: Handle,
    /// How often an answer was waited for in vain.
    silences: Arc<AtomicU64>,
}

impl Driver {
    /// Starts the thread.
    pub(crate) fn start() -> Result<(Self, Drive), StoreError> {
        let no_thread =
            |error: std::io::Error| StoreError::Down(format!("no thread for the connections: {error}"));
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(no_thread)?;
        let drive = Drive { runtime: runtime.handle().clone(), silences: Arc::default() };
        let over = CancellationToken::new();
        let ended = over.clone();
        let thread = std::thread::Builder::new()
            .name("steadfast-mysql".into())
            .spawn(move || runtime.block_on(ended.cancelled()))
            .map_err(no_thread)?;
        Ok((Self { over, thread: Some(thread) }, drive))
    }
}

impl Drive {
    /// Runs a future to its end, or to the store's.
    pub(crate) fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) {
        self.runtime.spawn(future);
    }

    /// Bounds a future by the thread's clock: the runtime that waits for it may have none.
    pub(crate) fn timeout<F: Future>(&self, max: Duration, future: F) -> Timeout<F> {
        let _clock = self.runtime.enter();
        timeout(max, future)
    }

    /// An answer was waited for in vain.
    pub(crate) fn met_silence(&self) {
        self.silences.fetch_add(1, Ordering::SeqCst);
    }

    /// How often that happened.
    pub(crate) fn silences(&self) -> u64 {
        self.silences.load(Ordering::SeqCst)
    }

    /// Connects, without any settings.
    pub(crate) async fn connect(&self, opts: Opts) -> Fallible<Connection> {
        let connecting = self.runtime.spawn(self.timeout(CONNECT_MAX, Conn::new(opts)));
        let connected = connecting.await.map_err(|_| StoreError::Down("the store is closed".into()))?;
        let conn = connected.map_err(|_| StoreError::Down("the server did not answer for 10 s".into()))??;
        Ok(Connection::new(conn, self.clone()))
    }

    /// Closes a connection. One that is in the middle of something is not waited for: the server rolls back.
    pub(crate) fn close(&self, conn: Conn) {
        let closing = self.timeout(PARTING, conn.disconnect());
        // One that is broken cannot say good-bye.
        self.spawn(async { drop(closing.await) });
    }

    /// Lets connections say good-bye.
    pub(crate) fn part(&self, connections: Vec<Connection>) {
        let (said, heard) = std::sync::mpsc::channel::<()>();
        self.spawn(async move {
            for conn in connections.into_iter().filter_map(Connection::into_conn) {
                // One that is broken cannot.
                let _ = conn.disconnect().await;
            }
            drop(said);
        });
        let _ = heard.recv_timeout(PARTING);
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.over.cancel();
        if let Some(thread) = self.thread.take()
            && thread.thread().id() != std::thread::current().id()
        {
            let _ = thread.join();
        }
    }
}
