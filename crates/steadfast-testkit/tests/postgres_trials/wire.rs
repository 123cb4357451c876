//! A wire between workers and server that loses replies, and that can be laid to another server.
//!
//! It reads PostgreSQL's messages, so that it can cut exactly there: a write reaches the server and is committed, and its
//! reply never comes back; or, every other time, the write itself gets lost.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// A listening end; dropped, it stays open until the process ends, as a test's does.
#[derive(Clone)]
pub(crate) struct Wire(Arc<Inner>);

struct Inner {
    port: u16,
    target: Mutex<String>,
    open: Mutex<Vec<TcpStream>>,
    /// Cuts that are still to be made.
    armed: AtomicU64,
    /// How the statements begin that are cut; all that write, if it is empty.
    only: Mutex<&'static str>,
    /// What was cut, by the first words of the statement.
    cuts: Mutex<BTreeMap<String, u64>>,
}

/// What one connection is at, counted in answered requests.
#[derive(Default)]
struct Line {
    /// Requests that the client ended so far.
    asked: u64,
    /// The request whose reply is cut off.
    cut: Option<u64>,
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

    /// Cuts only statements that begin with these words from now on.
    pub(crate) fn only(&self, words: &'static str) {
        *self.0.only.lock().unwrap() = words;
    }

    /// Leads to another server from now on. What was connected is cut.
    pub(crate) fn lead_to(&self, target: String) {
        *self.0.target.lock().unwrap() = target;
        for stream in self.0.open.lock().unwrap().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
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
        let copy = |stream: &TcpStream| stream.try_clone().expect("a second handle");
        self.open.lock().unwrap().extend([copy(&near), copy(&far)]);
        let line = Arc::new(Mutex::new(Line::default()));
        let (asking, answering) = ((copy(&near), copy(&far), line.clone()), (far, near, line));
        std::thread::spawn(move || {
            let (near, far, line) = asking;
            let _ = self.ask(&near, &far, &line);
            close(&near, &far);
        });
        std::thread::spawn(move || {
            let (far, near, line) = answering;
            let _ = answer(&far, &near, &line);
            close(&near, &far);
        });
    }

    /// Carries requests to the server. Every other cut loses the request instead of the reply.
    fn ask(&self, mut near: &TcpStream, mut far: &TcpStream, line: &Mutex<Line>) -> io::Result<()> {
        far.write_all(&startup(near)?)?;
        let mut statements: HashMap<Vec<u8>, String> = HashMap::new();
        // Inside a transaction only its commit is worth a cut: whatever else is lost is rolled back.
        let mut inside = false;
        let mut write: Option<String> = None;
        let mut request = Vec::new();
        loop {
            let message = message(&mut near)?;
            let body = &message[5..];
            match message[0] {
                b'P' => {
                    let (name, rest) = text(body);
                    statements.insert(name.to_vec(), String::from_utf8_lossy(text(rest).0).into_owned());
                }
                b'B' if !inside => write = statements.get(text(text(body).1).0).and_then(|sql| is_write(sql)),
                b'Q' => {
                    inside = body.starts_with(b"begin");
                    write = (text(body).0 == b"commit").then(|| "commit".to_owned());
                }
                _ => {}
            }
            let ended = [b'Q', b'S'].contains(&message[0]);
            request.extend(message);
            if !ended {
                continue;
            }
            line.lock().unwrap().asked += 1;
            if let Some(what) = write.take()
                && let Some(nth) = self.take_cut(&what)
            {
                if nth % 2 == 0 {
                    return Ok(());
                }
                let mut line = line.lock().unwrap();
                line.cut = Some(line.asked);
            }
            far.write_all(&request)?;
            request.clear();
        }
    }

    /// Takes one of the cuts to be made; says the how many-th it is.
    fn take_cut(&self, what: &str) -> Option<u64> {
        if !what.starts_with(*self.only.lock().unwrap()) {
            return None;
        }
        let less = |armed: u64| armed.checked_sub(1);
        self.armed.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less).ok()?;
        let mut cuts = self.cuts.lock().unwrap();
        *cuts.entry(what.to_owned()).or_default() += 1;
        Some(cuts.values().sum())
    }
}

/// Carries replies to the client, up to the one that is cut off. That one is awaited: the server has committed.
fn answer(mut far: &TcpStream, mut near: &TcpStream, line: &Mutex<Line>) -> io::Result<()> {
    let mut answered = 0;
    loop {
        let message = message(&mut far)?;
        let ready = message[0] == b'Z';
        let cut = line.lock().unwrap().cut.is_some_and(|cut| cut == answered + 1);
        if !cut {
            near.write_all(&message)?;
        } else if ready {
            return Ok(());
        }
        // The greeting ends like an answer, and answers nothing.
        answered += u64::from(ready && line.lock().unwrap().asked > answered);
    }
}

fn close(near: &TcpStream, far: &TcpStream) {
    let _ = (near.shutdown(Shutdown::Both), far.shutdown(Shutdown::Both));
}

/// The first message, which has no type.
fn startup(mut from: &TcpStream) -> io::Result<Vec<u8>> {
    let mut message = vec![0; 4];
    from.read_exact(&mut message)?;
    let len = u32::from_be_bytes([message[0], message[1], message[2], message[3]]) as usize;
    message.resize(len, 0);
    from.read_exact(&mut message[4..])?;
    Ok(message)
}

fn message(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut message = vec![0; 5];
    from.read_exact(&mut message)?;
    let len = u32::from_be_bytes([message[1], message[2], message[3], message[4]]) as usize;
    message.resize(len + 1, 0);
    from.read_exact(&mut message[5..])?;
    Ok(message)
}

/// A text up to its zero byte, and what follows it.
fn text(bytes: &[u8]) -> (&[u8], &[u8]) {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    (&bytes[..end], bytes.get(end + 1..).unwrap_or_default())
}

/// The first words of a statement that writes.
fn is_write(sql: &str) -> Option<String> {
    let writes = ["insert into", "update ", "delete from"].iter().any(|word| sql.contains(word));
    let first = sql.lines().next().unwrap_or_default().trim_start_matches("-- ");
    writes.then(|| first.split(' ').take(4).collect::<Vec<_>>().join(" "))
}
