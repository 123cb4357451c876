//! Kinds whose handlers harm their worker.

use crate::journal::Journal;
use std::time::Duration;
use steadfast::{BoxError, Handler, Hang, Policy, Retry, Run};

/// How long a run may take that never ends.
const DEADLINE: Duration = Duration::from_millis(1500);
const AGAIN: Duration = Duration::from_millis(10);
/// How often a worker may die of a task, and how often one that fails is tried again.
const LOST_MAX: u32 = 3;
const TRIES_MAX: u32 = 2;

type Deed = fn();

const DEEDS: [(&str, Deed); 6] = [
    ("panics", || panic!("poison")),
    ("aborts", || std::process::abort()),
    ("overflows", || {
        std::hint::black_box(overflow(0));
    }),
    ("hogs", hog),
    ("spins", || {
        loop {
            std::hint::spin_loop();
        }
    }),
    ("blocks", || {
        loop {
            std::thread::park();
        }
    }),
];

/// Those that never end and leave their worker alive.
const HANGS: [&str; 2] = ["spins", "blocks"];

pub(crate) fn handlers(journal: &Journal) -> Vec<Handler> {
    let handler = |(kind, deed): &(&'static str, Deed)| {
        let (journal, deed) = (journal.clone(), *deed);
        let handler = Handler::of(*kind, move |run: Run| {
            let journal = journal.clone();
            async move {
                journal.ran(&run);
                deed();
                Ok::<_, BoxError>(())
            }
        });
        handler.policy(if HANGS.contains(kind) { hangs() } else { policy() })
    };
    DEEDS.iter().map(handler).collect()
}

fn policy() -> Policy {
    let mut policy = Policy::default();
    policy.lost_max = LOST_MAX;
    policy.retry = Retry::fixed(AGAIN, TRIES_MAX);
    policy
}

/// One that hangs is not tried again: each time would cost a thread.
fn hangs() -> Policy {
    let mut policy = policy();
    policy.deadline = DEADLINE;
    policy.hang = Hang::Error;
    policy
}

/// Deeper than any stack.
#[expect(unconditional_recursion, reason = "that is its deed")]
fn overflow(depth: u64) -> u64 {
    std::hint::black_box([depth; 64])[0] + overflow(depth + 1)
}

/// More memory than the process may have. What it asks for counts, so that it need not be written to.
fn hog() {
    let mut hoard: Vec<Vec<u8>> = Vec::new();
    loop {
        hoard.push(std::hint::black_box(Vec::with_capacity(64 * 1024 * 1024)));
    }
}
