//! The engine under simulated faults, seed by seed.
//!
//! `STEADFAST_SEEDS=10000` plays more of them, `STEADFAST_SEED=17` plays one and prints its trace.

use std::fmt::Write;
use steadfast_testkit::Shown;
use steadfast_testkit::sim::{Report, Scenario, Sometimes};

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

fn complain(seed: u64, report: &Report) -> String {
    let mut text = format!("seed {seed}: {} acknowledged\n", report.acknowledged);
    for fault in &report.faults {
        let _ = writeln!(text, "  {fault}");
    }
    let _ = writeln!(text, "again with STEADFAST_SEED={seed}, which prints the trace");
    text
}

// L-23, L-31, M-05.
#[test]
fn no_seed_loses_a_task_or_does_one_twice() {
    if let Some(seed) = number("STEADFAST_SEED") {
        let report = Scenario::of(seed).run();
        println!("{}", report.trace.join("\n"));
        assert!(report.faults.is_empty(), "{}", complain(seed, &report));
        return;
    }
    let seeds = number("STEADFAST_SEEDS").unwrap_or(500);
    let (mut sometimes, mut acknowledged) = (Sometimes::default(), 0);
    for seed in 0..seeds {
        let report = Scenario::of(seed).run();
        assert!(report.faults.is_empty(), "{}", complain(seed, &report));
        sometimes.add(&report.sometimes);
        acknowledged += report.acknowledged;
    }
    println!("{sometimes:?}");
    let never = sometimes.never();
    Shown {
        promise: "simulated faults",
        store: "memory",
        done: format!("{seeds} seeds, {acknowledged} tasks"),
        seen: format!("lost 0, doubled 0, faults that never fired: {never:?}"),
        bar: "lost 0, doubled 0, every fault fired".into(),
        ok: never.is_empty(),
    }
    .hold();
}

#[test]
fn a_seed_replays_to_the_byte() {
    for seed in [3, 77, 1234] {
        let (first, second) = (Scenario::of(seed).run(), Scenario::of(seed).run());
        assert!(first.trace.len() > 100);
        assert_eq!(first.trace, second.trace, "seed {seed}");
    }
}
