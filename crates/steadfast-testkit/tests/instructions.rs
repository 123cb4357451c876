//! What a task costs the processor: instructions and allocations of the engine on the memory store, counted by callgrind.
//!
//! They are those of this build, without optimisation, and so larger than a user's. What the engine does more of shows
//! in both.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says so by panicking")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use steadfast_testkit::cost::{Bounds, Count, Load};

const FIGURES: [&str; 2] = ["instructions", "allocations"];
const BOUNDS: [(Load, Bounds<2>); 3] = [
    (Load::Lone, Bounds([243_000.0, 38.0])),
    (Load::Crowd, Bounds([125_000.0, 13.5])),
    (Load::Backlog, Bounds([120_000.0, 11.8])),
];
/// Tasks by which the longer of two runs is longer. What both do alike, such as starting, is in neither's difference.
const N: usize = 300;
/// Functions of the C library that hand out memory.
const ALLOCATE: [&str; 4] = ["malloc", "calloc", "realloc", "posix_memalign"];

#[test]
fn a_task_costs_the_processor_no_more_than_its_bounds() {
    let folder = tempfile::tempdir().unwrap();
    let mut faults = Vec::new();
    for (load, bounds) in BOUNDS {
        let [short, long] = [N, 2 * N].map(|n| Callgrind::start(folder.path(), load, n));
        let (before, after) = (short.count(), long.count());
        faults.extend(bounds.faults(&format!("memory, {load}"), FIGURES, after.since(before).each(N)));
    }
    assert!(faults.is_empty(), "{}", faults.concat());
}

/// A load under way.
struct Callgrind {
    child: Child,
    profile: PathBuf,
}

impl Callgrind {
    fn start(folder: &Path, load: Load, n: usize) -> Self {
        let profile = folder.join(format!("{load}-{n}"));
        let mut valgrind = Command::new("valgrind");
        valgrind
            .args(["--tool=callgrind", "--quiet"])
            .arg(format!("--callgrind-out-file={}", profile.display()));
        valgrind.arg(env!("CARGO_BIN_EXE_loaded-engine")).args([load.to_string(), n.to_string()]);
        let child = valgrind.stdin(Stdio::null()).spawn();
        let child =
            child.unwrap_or_else(|error| panic!("valgrind does not start ({error}); run `make prepare`"));
        Self { child, profile }
    }

    fn count(mut self) -> Count<2> {
        let status = self.child.wait().unwrap();
        assert!(status.success(), "valgrind: {status}");
        read(&std::fs::read_to_string(&self.profile).unwrap())
    }
}

/// Instructions and allocations of a profile.
fn read(profile: &str) -> Count<2> {
    let (mut instructions, mut allocations) = (0, 0);
    // Names stand where they come first; afterwards there is only their number.
    let (mut known, mut called) = (BTreeSet::new(), "");
    for line in profile.lines() {
        let Some((word, value)) = line.split_once(['=', ':']) else { continue };
        match word {
            "totals" => instructions = value.trim().parse().unwrap(),
            "fn" | "cfn" => {
                let (id, name) = value.split_once(' ').unwrap_or((value, ""));
                if ALLOCATE.contains(&name) {
                    known.insert(id);
                }
                called = id;
            }
            "calls" if known.contains(called) => {
                allocations += value.split(' ').next().unwrap().parse::<u64>().unwrap();
            }
            _ => {}
        }
    }
    Count([instructions, allocations])
}
