//! The thread that drives the store's connections.
//!
//! tokio-postgres splits a connection into a client, which anybody may use, and a future that moves its bytes. All
//! these futures run here, on a runtime of one thread that never runs a handler: a renew gets through however
//! busy the caller's own threads are. The thread ends when the store is dropped and waits for what it drives.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;
use steadfast_core::StoreError;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;

/// How long connections may take to say good-bye.
const PARTING: Duration = Duration::from_secs(1);

type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Owns the thread and waits for its end.
#[derive(Debug)]
pub(crate) struct Driver {
    /// None only while it is dropped.
    handle: Option<Handle>,
    thread: Option<std::thread::JoinHandle<()>>,
}

/// Hands futures to the thread, which goes on as long as anybody has one of these.
#[derive(Debug, Clone)]
pub(crate) struct Handle(UnboundedSender<Work>);

impl Driver {
    /// Starts the thread.
    pub(crate) fn start() -> Result<(Self, Handle), StoreError> {
        let no_thread =
            |error: std::io::Error| StoreError::Down(format!("no thread for the connections: {error}"));
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(no_thread)?;
        let (sender, work) = unbounded_channel();
        let thread = std::thread::Builder::new()
            .name("steadfast-postgres".into())
            .spawn(move || runtime.block_on(drive(work)))
            .map_err(no_thread)?;
        let handle = Handle(sender);
        Ok((Self { handle: Some(handle.clone()), thread: Some(thread) }, handle))
    }
}

impl Handle {
    /// Drives a future to its end.
    pub(crate) fn drive(&self, future: impl Future<Output = ()> + Send + 'static) {
        // The thread ends only with the last of us.
        let _ = self.0.send(Box::pin(future));
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        drop(self.handle.take());
        if let Some(thread) = self.thread.take()
            && thread.thread().id() != std::thread::current().id()
        {
            let _ = thread.join();
        }
    }
}

async fn drive(mut work: UnboundedReceiver<Work>) {
    let mut driven = JoinSet::new();
    loop {
        tokio::select! {
            biased;
            next = work.recv() => match next {
                Some(future) => drop(driven.spawn(future)),
                None => break,
            },
            Some(_) = driven.join_next() => {}
        }
    }
    let _ = tokio::time::timeout(PARTING, async { while driven.join_next().await.is_some() {} }).await;
}
