//! Who drives the store's connections.
//!
//! tokio-postgres splits a connection into a client, which anybody may use, and a future that moves its bytes. What
//! works for a caller is driven by the runtime that the store was opened in: another thread would have to be woken twice a call, which
//! costs more than the statement. So it is with the hints of others: whoever acts on them works there, too. What must get
//! through however busy that runtime is (the lease) is driven by a thread of the store's own that never runs a handler.
//! It ends when the store is dropped and waits for what it drives.

use crate::address::Address;
use crate::fault::{Fallible, told};
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;
use steadfast_core::StoreError;
use tokio::runtime::{Handle as Runtime, Id};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio_postgres::Client;
use tokio_util::sync::CancellationToken;

/// How long a handler that blocks may keep our sockets waiting at most, if its runtime has another thread.
const NUDGE: Duration = Duration::from_millis(200);
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

/// Where the connections of a pool are driven.
#[derive(Debug, Clone)]
pub(crate) enum Drive {
    /// On the store's own thread.
    Apart(Handle),
    /// On the runtime that the store was opened in, for calls that come from there; on the thread for all others. Another
    /// runtime may have no way to drive sockets: that of the engine's lease has none.
    Home(Handle, Runtime),
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

impl Drive {
    /// Connects, without any settings. Says also which runtime drives it, if it is not the thread.
    pub(crate) async fn connect(&self, address: &Address) -> Fallible<(Client, Option<Id>)> {
        let Some(home) = self.home() else { return Ok((self.thread().connect(address).await?, None)) };
        let (client, connection) = address.config.connect(address.tls.clone()).await?;
        home.spawn(run(connection));
        Ok((client, Some(home.id())))
    }

    /// Drives a future to its end, or to that of the runtime.
    pub(crate) fn drive(&self, future: impl Future<Output = ()> + Send + 'static) {
        match self.home() {
            // Nobody waits for its end.
            Some(home) => drop(home.spawn(future)),
            None => self.thread().drive(future),
        }
    }

    /// Drives a future until it ends or the store is closed. If the runtime ends before, the thread goes on with
    /// another one.
    pub(crate) fn drive_on<F>(&self, over: CancellationToken, make: impl Fn() -> F + Send + 'static)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let Some(home) = self.home() else { return self.thread().drive(make()) };
        let driven = home.spawn(make());
        self.thread().drive(async move {
            tokio::select! {
                biased;
                // That runtime may stand still until we are gone.
                () = over.cancelled() => {}
                ended = driven => if ended.is_err() { make().await },
            }
        });
    }

    fn thread(&self) -> &Handle {
        match self {
            Self::Apart(thread) | Self::Home(thread, _) => thread,
        }
    }

    /// The runtime that the store was opened in, if this is called there.
    fn home(&self) -> Option<&Runtime> {
        match self {
            Self::Apart(_) => None,
            Self::Home(_, home) => Some(home).filter(|home| current() == Some(home.id())),
        }
    }

    /// On the runtime that calls this, if it is one of tokio's.
    pub(crate) fn here(thread: &Handle) -> Self {
        let Ok(home) = Runtime::try_current() else { return Self::Apart(thread.clone()) };
        let nudged = home.clone();
        // Nobody waits for its end: it ends with the runtime or with the thread.
        thread.drive(async { drop(tokio::spawn(nudge(nudged))) });
        Self::Home(thread.clone(), home)
    }
}

/// The runtime that this is called in, if it is one of tokio's.
pub(crate) fn current() -> Option<Id> {
    Runtime::try_current().ok().map(|here| here.id())
}

impl Handle {
    /// Drives a future to its end.
    pub(crate) fn drive(&self, future: impl Future<Output = ()> + Send + 'static) {
        // The thread ends only with the last of us.
        let _ = self.0.send(Box::pin(future));
    }

    /// Connects, without any settings.
    pub(crate) async fn connect(&self, address: &Address) -> Fallible<Client> {
        let (answer, connected) = oneshot::channel();
        let address = address.clone();
        self.drive(async move {
            match address.config.connect(address.tls).await {
                Ok((client, connection)) => {
                    if answer.send(Ok(client)).is_ok() {
                        run(connection).await;
                    }
                }
                Err(error) => drop(answer.send(Err(error))),
            }
        });
        let gone = |_| StoreError::Down("the store is closed".into());
        Ok(connected.await.map_err(gone)??)
    }
}

/// Wakes a runtime now and then, until it ends. The thread of its that looks after the sockets may be the one that a
/// handler blocks, and no other takes its place before it is woken: any task will do.
async fn nudge(runtime: Runtime) {
    while runtime.spawn(async {}).await.is_ok() {
        tokio::time::sleep(NUDGE).await;
    }
}

/// Moves a connection's bytes until it ends.
async fn run(connection: impl Future<Output = Result<(), tokio_postgres::Error>>) {
    if let Err(error) = connection.await {
        tracing::warn!(error = told(&error), "a connection was lost");
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
