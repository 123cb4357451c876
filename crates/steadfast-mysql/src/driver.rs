//! Who watches over the store's connections.
//!
//! A call reads and writes its socket itself, wherever it runs; only the word that a socket is ready comes from the
//! runtime in which it was opened. That is one of the store's own, on a thread that never runs a handler: what a lease
//! or a hint needs gets through however busy the caller's runtime is, and also where that runtime has no sockets at
//! all, as the engine's for leases. It ends when the store is dropped.

use crate::fault::Fallible;
use mysql_async::{Conn, Opts};
use std::future::Future;
use std::time::Duration;
use steadfast_core::StoreError;
use tokio::runtime::Handle;
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

/// Runs futures on the thread.
#[derive(Debug, Clone)]
pub(crate) struct Drive(Handle);

impl Driver {
    /// Starts the thread.
    pub(crate) fn start() -> Result<(Self, Drive), StoreError> {
        let no_thread =
            |error: std::io::Error| StoreError::Down(format!("no thread for the connections: {error}"));
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(no_thread)?;
        let (drive, over) = (Drive(runtime.handle().clone()), CancellationToken::new());
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
        self.0.spawn(future);
    }

    /// Connects, without any settings.
    pub(crate) async fn connect(&self, opts: Opts) -> Fallible<Conn> {
        let connecting =
            self.0.spawn(async move { tokio::time::timeout(CONNECT_MAX, Conn::new(opts)).await });
        let connected = connecting.await.map_err(|_| StoreError::Down("the store is closed".into()))?;
        Ok(connected.map_err(|_| StoreError::Down("the server did not answer for 10 s".into()))??)
    }

    /// Lets connections say good-bye.
    pub(crate) fn part(&self, connections: Vec<Conn>) {
        let (said, heard) = std::sync::mpsc::channel::<()>();
        self.spawn(async move {
            for connection in connections {
                // One that is broken cannot.
                let _ = connection.disconnect().await;
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
