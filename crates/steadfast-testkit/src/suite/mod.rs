//! The shared store suite: what every store must do, one sentence a case.
//!
//! A case checks what a caller can see and nothing of how a store does it. Each runs on a store of its own.

mod act;
mod add;
mod bucket;
mod clean;
mod cluster;
mod commit;
mod due;
mod eject;
mod fence;
mod fields;
mod find;
mod finish;
mod grab;
mod kinds;
mod lease;
mod look;
mod model;
mod race;
mod reap;
mod recall;
mod repeat;
mod replace;
mod retention;
mod save;
mod serial;
mod settle;
mod texts;
mod walk;

use crate::Shown;
use crate::ground::Ground;
use libtest_mimic::{Arguments, Trial};
use std::process::ExitCode;
use std::sync::Arc;
use steadfast_core::seam::Future;

/// One true sentence about stores.
pub struct Case {
    /// What it is about: the name of its file.
    pub topic: &'static str,
    /// The sentence: the name of its function.
    pub name: &'static str,
    /// On how many fresh grounds it runs, each with another seed.
    pub rounds: u64,
    /// Panics if the sentence is not true.
    pub run: Box<dyn Fn(Ground) -> Future<()> + Send + Sync>,
}

/// Makes a fresh ground.
pub type Grounds = dyn Fn() -> Future<Ground> + Send + Sync;

/// All cases.
pub fn cases() -> Vec<Case> {
    let topics = [
        add::cases(),
        fields::cases(),
        repeat::cases(),
        replace::cases(),
        grab::cases(),
        look::cases(),
        fence::cases(),
        recall::cases(),
        lease::cases(),
        reap::cases(),
        finish::cases(),
        commit::cases(),
        save::cases(),
        settle::cases(),
        due::cases(),
        serial::cases(),
        retention::cases(),
        find::cases(),
        act::cases(),
        eject::cases(),
        clean::cases(),
        kinds::cases(),
        bucket::cases(),
        cluster::cases(),
        texts::cases(),
        race::cases(),
        walk::cases(),
    ];
    topics.into_iter().flatten().collect()
}

/// Cases that every store passes, at least.
const CASES_MIN: u64 = 150;

/// Runs the cases as the tests of a program: the `main` of a store's `tests/suite.rs`.
pub fn main(store: &'static str, ground: impl Fn() -> Future<Ground> + Send + Sync + 'static) -> ExitCode {
    let grounds: Arc<Grounds> = Arc::new(ground);
    let trials = cases().into_iter().map(|case| trial(case, grounds.clone())).collect();
    let seen = libtest_mimic::run(&Arguments::from_args(), trials);
    // Whoever asked for some of them asked for no row.
    if seen.num_filtered_out == 0 && !seen.has_failed() {
        Shown {
            promise: "one meaning on every store",
            store,
            done: "the shared suite of all stores".into(),
            seen: format!("{} cases passed, {} failed", seen.num_passed, seen.num_failed),
            bar: format!("{CASES_MIN} cases, failed 0"),
            ok: seen.num_passed >= CASES_MIN,
        }
        .hold();
    }
    seen.exit_code()
}

/// Tells the seed of a round that fails.
struct Told(u64);

impl Drop for Told {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("failed with STEADFAST_SEED={}", self.0);
        }
    }
}

impl Case {
    /// Runs it on each of its rounds. A failing round prints its seed; `STEADFAST_SEED` runs that one alone.
    pub fn check(&self, grounds: &Grounds) {
        let alone = std::env::var("STEADFAST_SEED").ok().and_then(|seed| seed.parse::<u64>().ok());
        let seeds = alone.map_or(0..self.rounds, |seed| seed..seed + 1);
        for seed in seeds {
            let _told = Told(seed);
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
            runtime.expect("a runtime").block_on(async {
                let mut ground = grounds().await;
                ground.seed = seed;
                (self.run)(ground).await;
            });
        }
    }

    /// The same case on so many grounds.
    fn rounds(self, rounds: u64) -> Self {
        Self { rounds, ..self }
    }
}

/// A case by its function. The topic and the sentence are the function's own path, so they cannot disagree.
fn case<F, R>(run: F) -> Case
where
    F: Fn(Ground) -> R + Send + Sync + 'static,
    R: std::future::Future<Output = ()> + Send + 'static,
{
    let mut path = std::any::type_name::<F>().rsplit("::");
    let (name, topic) = (path.next().unwrap_or_default(), path.next().unwrap_or_default());
    Case { topic, name, rounds: 1, run: Box::new(move |ground| Box::pin(run(ground))) }
}

fn trial(case: Case, grounds: Arc<Grounds>) -> Trial {
    Trial::test(format!("{}::{}", case.topic, case.name), move || {
        case.check(grounds.as_ref());
        Ok(())
    })
}
