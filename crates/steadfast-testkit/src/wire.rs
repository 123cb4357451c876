//! A wire that can be cut.

use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// Stands between a store and its server. Cut, the store's end is closed, and the server does not hear of it.
pub struct Wire {
    /// Where the store is to connect, on the loopback.
    pub port: u16,
    cut: Arc<Notify>,
}

impl Wire {
    /// A wire to a server, by host and port.
    pub async fn new(server: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (port, cut) = (listener.local_addr().unwrap().port(), Arc::new(Notify::new()));
        let cuts = cut.clone();
        tokio::spawn(async move {
            loop {
                let (mut near, _) = listener.accept().await.unwrap();
                let mut far = TcpStream::connect(&server).await.unwrap();
                let cuts = cuts.clone();
                tokio::spawn(async move {
                    tokio::select! {
                        _ = tokio::io::copy_bidirectional(&mut near, &mut far) => {}
                        () = cuts.notified() => {
                            drop(near);
                            // Open until the test is over.
                            std::future::pending::<()>().await;
                            drop(far);
                        }
                    }
                });
            }
        });
        Self { port, cut }
    }

    /// Cuts all connections that there are.
    pub fn cut(&self) {
        self.cut.notify_waiters();
    }
}
