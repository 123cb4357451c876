//! The shared suite on the memory store.

use std::process::ExitCode;
use std::sync::Arc;
use steadfast_memory::MemoryStore;
use steadfast_testkit::{Ground, TestClock, suite};

fn main() -> ExitCode {
    suite::main(|| {
        Box::pin(async {
            let clock = TestClock::new();
            Ground::new(Arc::new(MemoryStore::new(clock.clone())), clock)
        })
    })
}
