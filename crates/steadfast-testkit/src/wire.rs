//! A wire that can be cut, or go dead.

use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// Stands between a store and its server. Cut, the store's end is closed, and the server does not hear of it. Dead, it is
/// open at both ends and carries nothing.
pub struct Wire {
    /// Where the store is to connect, on the loopback.
    pub port: u16,
    cut: Arc<Notify>,
    dead: Arc<Notify>,
}

impl Wire {
    /// A wire to a server, by host and port.
    pub async fn new(server: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (cut, dead) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let (cuts, deaths) = (cut.clone(), dead.clone());
        tokio::spawn(async move {
            loop {
                let (mut near, _) = listener.accept().await.unwrap();
                let mut far = TcpStream::connect(&server).await.unwrap();
                let (cuts, deaths) = (cuts.clone(), deaths.clone());
                tokio::spawn(async move {
                    tokio::select! {
                        _ = tokio::io::copy_bidirectional(&mut near, &mut far) => {}
                        () = cuts.notified() => {
                            drop(near);
                            // Open until the test is over.
                            std::future::pending::<()>().await;
                            drop(far);
                        }
                        () = deaths.notified() => std::future::pending().await,
                    }
                });
            }
        });
        Self { port, cut, dead }
    }

    /// Cuts all connections that there are.
    pub fn cut(&self) {
        self.cut.notify_waiters();
    }

    /// Lets all connections that there are go dead, as if the other machine were gone.
    pub fn go_dead(&self) {
        self.dead.notify_waiters();
    }
}
