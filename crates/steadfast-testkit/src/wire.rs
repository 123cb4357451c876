//! A wire that can be cut, or go dead.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// Stands between a store and its server. Cut, the store's end is closed, and the server does not hear of it. Dead, it is
/// open at both ends and carries nothing.
pub struct Wire {
    /// Where the store is to connect, on the loopback.
    pub port: u16,
    cut: Arc<Notify>,
    dead: Arc<Notify>,
    /// Connections that carry something.
    alive: Arc<AtomicUsize>,
}

impl Wire {
    /// A wire to a server, by host and port.
    pub async fn new(server: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (cut, dead) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let (cuts, deaths, alive) = (cut.clone(), dead.clone(), Arc::new(AtomicUsize::new(0)));
        let lives = alive.clone();
        tokio::spawn(async move {
            loop {
                let (mut near, _) = listener.accept().await.unwrap();
                let mut far = TcpStream::connect(&server).await.unwrap();
                let (cuts, deaths, lives) = (cuts.clone(), deaths.clone(), lives.clone());
                lives.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(async move {
                    // What was told before is believed before anything is carried.
                    tokio::select! {
                        biased;
                        () = deaths.notified() => {
                            lives.fetch_sub(1, Ordering::SeqCst);
                            std::future::pending::<()>().await;
                        }
                        () = cuts.notified() => {
                            drop(near);
                            lives.fetch_sub(1, Ordering::SeqCst);
                            // Open until the test is over.
                            std::future::pending::<()>().await;
                            drop(far);
                        }
                        _ = tokio::io::copy_bidirectional(&mut near, &mut far) => {
                            lives.fetch_sub(1, Ordering::SeqCst);
                        }
                    }
                });
            }
        });
        Self { port, cut, dead, alive }
    }

    /// Cuts all connections that there are.
    pub fn cut(&self) {
        self.cut.notify_waiters();
    }

    /// Lets all connections that there are go dead, as if the other machine were gone; none of them carries anything
    /// when this is done.
    pub async fn go_dead(&self) {
        self.dead.notify_waiters();
        while self.alive.load(Ordering::SeqCst) > 0 {
            tokio::task::yield_now().await;
        }
    }
}
