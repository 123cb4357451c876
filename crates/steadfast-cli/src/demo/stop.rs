//! Word from outside that the demo should stop: Ctrl-C, or a polite kill.

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// Answers with one item for each time that somebody asked.
pub(super) fn stops() -> std::io::Result<UnboundedReceiver<()>> {
    let (asked, stops) = unbounded_channel();
    let mut signals = Signals::new()?;
    tokio::spawn(async move {
        loop {
            signals.next().await;
            if asked.send(()).is_err() {
                return;
            }
        }
    });
    Ok(stops)
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hangup: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hangup.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
