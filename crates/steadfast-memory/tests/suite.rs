//! The shared suite on the memory store.

use std::process::ExitCode;
use std::sync::Arc;
use steadfast_memory::MemoryStore;
use steadfast_testkit::{Counter, Ground, TestClock, suite};

fn main() -> ExitCode {
    suite::main("memory", || {
        Box::pin(async {
            let clock = TestClock::new();
            let store = MemoryStore::new(clock.clone());
            Ground::new(Arc::new(store), clock, Arc::new(Counter::default()))
        })
    })
}
