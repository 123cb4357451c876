//! A wire between workers and server that loses replies, and that can be laid to another server.
//!
//! It reads the server's messages, so that it can cut exactly there: a write reaches the server and is committed, and its
//! reply never comes back; or, every other time, the write itself gets lost.

use crate::messages::Line;
use std::collections::BTreeMap;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};

/// A listening end; dropped, it stays open until the process ends, as a test's does.
#[derive(Clone)]
pub(crate) struct Wire(Arc<Inner>);

struct Inner {
    port: u16,
    target: Mutex<String>,
    open: Mutex<Vec<Weak<Ends>>>,
    /// Cuts that are still to be made.
    armed: AtomicU64,
    /// How the statements begin that are cut; all that write, if it is empty.
    only: Mutex<&'static str>,
    /// What was cut, by the first words of the statement.
    cuts: Mutex<BTreeMap<String, u64>>,
}

/// A connection, from the client and to the server.
pub(super) struct Ends {
    pub(super) near: TcpStream,
    pub(super) far: TcpStream,
}

/// What of a write gets lost.
pub(crate) enum Cut {
    Request,
    Reply,
}

impl Wire {
    pub(crate) fn new(target: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let inner = Inner {
            port: listener.local_addr().expect("its number").port(),
            target: Mutex::new(target),
            open: Mutex::default(),
            armed: AtomicU64::new(0),
            only: Mutex::default(),
            cuts: Mutex::default(),
        };
        let wire = Self(Arc::new(inner));
        let inner = wire.0.clone();
        std::thread::spawn(move || {
            for near in listener.incoming().flatten() {
                inner.clone().connect(near);
            }
        });
        wire
    }

    pub(crate) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.0.port)
    }

    /// Cuts off the reply to one more write.
    pub(crate) fn cut(&self) {
        self.0.armed.fetch_add(1, Ordering::SeqCst);
    }

    /// Makes no more of the cuts that are still to be made.
    pub(crate) fn calm(&self) {
        self.0.armed.store(0, Ordering::SeqCst);
    }

    /// Cuts only statements that begin with these words from now on.
    pub(crate) fn only(&self, words: &'static str) {
        *self.0.only.lock().unwrap() = words;
    }

    /// Leads to another server from now on. What was connected is cut.
    #[allow(dead_code, reason = "not every server has a replica to be led to")]
    pub(crate) fn lead_to(&self, target: String) {
        *self.0.target.lock().unwrap() = target;
        for ends in self.0.open.lock().unwrap().drain(..).filter_map(|ends| ends.upgrade()) {
            ends.close();
        }
    }

    /// What was cut so far.
    pub(crate) fn cuts(&self) -> BTreeMap<String, u64> {
        self.0.cuts.lock().unwrap().clone()
    }
}

impl Inner {
    fn connect(self: Arc<Self>, near: TcpStream) {
        let target = self.target.lock().unwrap().clone();
        // A server that is not there: the caller sees its connection end.
        let Ok(far) = TcpStream::connect(target) else { return };
        let _ = (near.set_nodelay(true), far.set_nodelay(true));
        let (ends, line) = (Arc::new(Ends { near, far }), Arc::new(Line::default()));
        let mut open = self.open.lock().unwrap();
        open.retain(|ends| ends.strong_count() > 0);
        open.push(Arc::downgrade(&ends));
        drop(open);
        let (answering, answered) = (ends.clone(), line.clone());
        std::thread::spawn(move || {
            let _ = line.ask(&ends.near, &ends.far, |what| self.take_cut(what));
            ends.close();
        });
        std::thread::spawn(move || {
            let _ = answered.answer(&answering.far, &answering.near);
            answering.close();
        });
    }

    /// Takes one of the cuts to be made. Every other one loses the request instead of the reply.
    fn take_cut(&self, what: &str) -> Option<Cut> {
        if !what.starts_with(*self.only.lock().unwrap()) {
            return None;
        }
        let less = |armed: u64| armed.checked_sub(1);
        self.armed.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less).ok()?;
        let mut cuts = self.cuts.lock().unwrap();
        *cuts.entry(what.to_owned()).or_default() += 1;
        let nth: u64 = cuts.values().sum();
        Some(if nth.is_multiple_of(2) { Cut::Request } else { Cut::Reply })
    }
}

impl Ends {
    /// One of the two.
    pub(super) fn from(&self, near: bool) -> &TcpStream {
        if near { &self.near } else { &self.far }
    }

    pub(super) fn close(&self) {
        let _ = (self.near.shutdown(Shutdown::Both), self.far.shutdown(Shutdown::Both));
    }
}

/// The first words of a statement that writes.
pub(crate) fn is_write(sql: &str) -> Option<String> {
    let writes = ["insert into", "update ", "delete "].iter().any(|word| sql.contains(word));
    let first = sql.lines().next().unwrap_or_default().trim_start_matches("-- ");
    writes.then(|| first.split(' ').take(4).collect::<Vec<_>>().join(" "))
}
