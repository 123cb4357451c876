//! A system outside the database, to which every run shows its token while workers are stopped past their lease.

use super::deaths::{LEASE, PAIRS_MAX, RECOVERY, play, stop_at};
use super::{shown, size};
use crate::cluster::Cluster;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use steadfast_testkit::{Answer, Outside};

/// How long a caller may take to say its token.
const PATIENCE: Duration = Duration::from_secs(1);

/// Where it listens, and what it answered so far.
struct Desk {
    address: String,
    outside: Outside,
    taken: AtomicU64,
    known: AtomicU64,
    refused: AtomicU64,
}

impl Desk {
    /// Open until the process ends, as a test's is.
    fn open() -> Arc<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let desk = Arc::new(Self {
            address: listener.local_addr().expect("its address").to_string(),
            outside: Outside::default(),
            taken: AtomicU64::new(0),
            known: AtomicU64::new(0),
            refused: AtomicU64::new(0),
        });
        let open = desk.clone();
        std::thread::spawn(move || listener.incoming().flatten().for_each(|caller| open.answer(&caller)));
        desk
    }

    /// One caller after the other: what was refused came late, and not only to the answer.
    fn answer(&self, mut caller: &TcpStream) {
        let mut token = String::new();
        // Whoever is stopped in the middle of its question asks none, and must not hold up the others.
        let _ = caller.set_read_timeout(Some(PATIENCE));
        if BufReader::new(caller).read_line(&mut token).is_err() || !token.ends_with('\n') {
            return;
        }
        let (count, word) = match self.outside.show(token.trim_end().parse().expect("a token")) {
            Answer::Taken => (&self.taken, "taken"),
            Answer::Known => (&self.known, "known"),
            Answer::Refused => (&self.refused, "refused"),
        };
        count.fetch_add(1, Ordering::SeqCst);
        // Whoever hung up does not hear it.
        let _ = caller.write_all(word.as_bytes());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_system_outside_that_compares_tokens_refuses_whoever_comes_late() {
    let (cluster, desk, stops) = (Cluster::shared(), Desk::open(), size(2, 100));
    let words = vec!["only=tells".to_owned(), format!("payload={}", desk.address)];
    let trials = (0..stops).map(|n| {
        // Most before they could show it.
        let point = ["run.started", "run.started", "run.started", "finish.sent"][n % 4];
        stop_at(cluster.clone(), point, n / 4 % 5 + 1, words.clone())
    });
    let slowest = play(PAIRS_MAX, trials).await.into_iter().max().unwrap();
    let [taken, known, refused] = [&desk.taken, &desk.known, &desk.refused].map(|n| n.load(Ordering::SeqCst));
    let tasks = desk.outside.newest().len();
    shown(
        "G4 effects elsewhere",
        format!("{stops} stops past the lease; each of {tasks} tasks shows its token to a system outside"),
        format!(
            "taken {taken}, one for each; known by their id {known}; refused as late {refused}; \
             slowest recovery {slowest:.1?}"
        ),
        format!("one for each, refused > 0, lease + {RECOVERY:?}"),
        taken == tasks as u64 && refused > 0 && slowest <= LEASE + RECOVERY,
    );
}
