//! A wire on which everything takes its time: late both ways, at a stand now and then, and cut at random.

use super::wire::Ends;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::ops::Range;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};
use steadfast_testkit::Random;

/// Most bytes that travel together.
const CHUNK: usize = 16 * 1024;

/// A listening end; dropped, it stays open until the process ends, as a test's does.
#[derive(Clone)]
pub(crate) struct SlowWire(Arc<Inner>);

struct Inner {
    port: u16,
    target: String,
    state: Mutex<State>,
    open: Mutex<Vec<Weak<Ends>>>,
}

/// How the wire is.
struct State {
    random: Random,
    /// How many milliseconds bytes are under way.
    delay: Range<usize>,
    /// Nothing gets through before.
    stands_until: Instant,
}

/// Bytes and when they arrive.
type Sent = (Instant, Vec<u8>);

impl SlowWire {
    /// A wire that is not slow yet.
    pub(crate) fn new(target: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("its number").port();
        let state = State { random: Random::new(8), delay: 0..1, stands_until: Instant::now() };
        let wire = Self(Arc::new(Inner { port, target, state: Mutex::new(state), open: Mutex::default() }));
        let inner = wire.0.clone();
        std::thread::spawn(move || {
            for near in listener.incoming().flatten() {
                let inner = inner.clone();
                std::thread::spawn(move || inner.connect(near));
            }
        });
        wire
    }

    pub(crate) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.0.port)
    }

    /// From now on bytes are under way for so many milliseconds, each way.
    pub(crate) fn delay(&self, delay: Range<usize>) {
        self.0.state.lock().unwrap().delay = delay;
    }

    /// Nothing gets through for a while.
    pub(crate) fn stand(&self, time: Duration) {
        self.0.state.lock().unwrap().stands_until = Instant::now() + time;
    }

    /// Cuts one of the connections, whichever.
    pub(crate) fn cut(&self) {
        let mut open = self.0.open.lock().unwrap();
        open.retain(|ends| ends.strong_count() > 0);
        if !open.is_empty() {
            let one = self.0.state.lock().unwrap().random.below(open.len());
            if let Some(ends) = open.swap_remove(one).upgrade() {
                ends.close();
            }
        }
    }
}

impl Inner {
    fn connect(self: Arc<Self>, near: TcpStream) {
        let Ok(far) = TcpStream::connect(&self.target) else { return };
        let _ = (near.set_nodelay(true), far.set_nodelay(true));
        let ends = Arc::new(Ends { near, far });
        self.open.lock().unwrap().push(Arc::downgrade(&ends));
        for there in [true, false] {
            let (sender, receiver) = mpsc::channel();
            let (inner, reading, writing) = (self.clone(), ends.clone(), ends.clone());
            std::thread::spawn(move || {
                let _ = inner.take_in(reading.from(there), &sender);
            });
            let inner = self.clone();
            std::thread::spawn(move || {
                let _ = inner.hand_out(writing.from(!there), &receiver);
                writing.close();
            });
        }
    }

    fn take_in(&self, mut from: &TcpStream, sender: &Sender<Sent>) -> io::Result<()> {
        let mut bytes = vec![0; CHUNK];
        loop {
            let n = from.read(&mut bytes)?;
            let mut state = self.state.lock().unwrap();
            let (least, most) = (state.delay.start, state.delay.len());
            let delay = least + state.random.below(most);
            drop(state);
            let arrives = Instant::now() + Duration::from_millis(u64::try_from(delay).expect("a short time"));
            if n == 0 || sender.send((arrives, bytes[..n].to_vec())).is_err() {
                return Ok(());
            }
        }
    }

    /// In order: what was sent later may not arrive before.
    fn hand_out(&self, mut to: &TcpStream, receiver: &Receiver<Sent>) -> io::Result<()> {
        for (arrives, bytes) in receiver {
            let stands_until = self.state.lock().unwrap().stands_until;
            std::thread::sleep(arrives.max(stands_until).saturating_duration_since(Instant::now()));
            to.write_all(&bytes)?;
        }
        Ok(())
    }
}
