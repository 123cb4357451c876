//! What the random tests share: chance from a seed, and a loop that says which seed failed.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Chance that a seed decides: the same seed gives the same case.
pub(crate) struct Chance(u64);

impl Chance {
    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        // SplitMix64: neighbouring seeds give unrelated cases.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        usize::try_from(mixed % u64::try_from(end).unwrap()).unwrap()
    }

    /// One of these.
    pub(crate) fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// Runs a case for each seed. `STEADFAST_SEED` runs the one case that failed.
pub(crate) fn each_seed(cases: u64, mut case: impl FnMut(&mut Chance)) {
    if let Ok(seed) = std::env::var("STEADFAST_SEED") {
        return case(&mut Chance(seed.parse().unwrap()));
    }
    for seed in 0..cases {
        if let Err(fault) = catch_unwind(AssertUnwindSafe(|| case(&mut Chance(seed)))) {
            eprintln!("the case failed with STEADFAST_SEED={seed}");
            resume_unwind(fault);
        }
    }
}
